"""What is tried with each dialect: a message, the answers of aimock, and what must come of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from program import Ended

PAIRS = 5
"""Answers of two calls each."""
SUMMARY = "All five files are written, one after another, and each was read again."
THOUGHT = "The next file has one line."
PAUSE = 20
"""Milliseconds before a piece, so that pieces arrive one by one, also before a cut."""
Fixture = dict[str, Any]


@dataclass(frozen=True)
class Dialect:
    """A protocol, by the row that is asked for it."""

    name: str
    provider: str
    model: str
    path: str
    """What its base URL ends with."""
    lost_header: str = ""
    """Why no `Retry-After` arrives."""


CHAT = Dialect("chat completions", "deepseek", "deepseek-chat", "/v1")
RESPONSES = Dialect("Responses", "openai", "gpt-5.3-codex", "/v1")
ANTHROPIC = Dialect("Anthropic", "anthropic", "claude-sonnet-5-5", "")
PROXIED_CHAT = Dialect("chat completions", "litellm", "deepseek-chat", "/v1")
DIRECT = (CHAT, RESPONSES, ANTHROPIC)
PROXIED_ANTHROPIC = replace(
    ANTHROPIC, lost_header="the proxy drops `Retry-After`, `mcode` waits as it does without one"
)
PROXIED = (PROXIED_CHAT, RESPONSES, PROXIED_ANTHROPIC)
SCENARIOS = ("loop", "limit", "cut")


def name_message(program: str, dialect: Dialect, scenario: str) -> str:
    """Return the message of the human, by which aimock finds its answers."""
    return f"interop {program} {dialect.provider} {scenario}: write five files"


def build_fixtures(message: str, scenario: str) -> list[Fixture]:
    """Return the answers to that message, one after another."""
    answers: list[Fixture] = [build_turn(number) for number in range(PAIRS)]
    last = {"reasoning": "All there?", "content": SUMMARY}
    answers.append({"response": last, "latency": PAUSE})
    if scenario == "limit":
        error = {"message": "Too many requests", "type": "rate_limit_error"}
        answers.insert(1, {"response": {"error": error, "status": 429, "retryAfter": 1}})
    if scenario == "cut":
        answers.insert(2, {**answers[2], "truncateAfterChunks": 6, "latency": PAUSE})
    return [
        {"match": {"userMessage": message, "sequenceIndex": place}, **answer}
        for place, answer in enumerate(answers)
    ]


def build_turn(number: int) -> Fixture:
    """Return an answer that thinks, writes a file and reads it."""
    path = f"file{number}.txt"
    calls = [
        {"name": "write_file", "arguments": {"path": path, "content": f"line {number}\n"}},
        {"name": "read_file", "arguments": {"path": path}},
    ]
    return {"response": {"reasoning": THOUGHT, "toolCalls": calls}}


def find_faults(dialect: Dialect, scenario: str, ended: Ended, project: Path) -> dict[str, str]:
    """Return for each thing that the scenario shows what is wrong with it; empty: nothing."""
    loop = find_loop_fault(ended, project)
    if scenario == "limit":
        seconds = 0.0 if dialect.lost_header else 1.0
        return {"429 with retry-after": loop or find_retry_fault(ended, seconds)}
    if scenario == "cut":
        return {"cut stream": loop or find_retry_fault(ended, 0.0)}
    parts = [event["text"] for event in ended.told("output")]
    thoughts = "".join(event["text"] for event in ended.told("thinking"))
    count = thoughts.count(THOUGHT)
    return {
        "streaming": "" if len(parts) > 1 and SUMMARY in "".join(parts) else "in one piece",
        "10 tool calls": loop,
        "thinking": "" if count == PAIRS else f"{count} of {PAIRS} thoughts arrived",
    }


def find_loop_fault(ended: Ended, project: Path) -> str:
    """Return why the files are not as they must be."""
    if ended.code or ended.last.get("summary") != SUMMARY:
        return explain_end(ended)
    results = [event["ok"] for event in ended.told("tool_result")]
    files = [project / f"file{number}.txt" for number in range(PAIRS)]
    texts = [file.read_text() if file.exists() else "" for file in files]
    if texts != [f"line {number}\n" for number in range(PAIRS)]:
        return f"wrong files: {texts}"
    return "" if results == [True] * 2 * PAIRS else f"results of calls: {results}"


def find_retry_fault(ended: Ended, seconds: float) -> str:
    """Return why the one repetition was not as it must be."""
    retries: Sequence[dict[str, Any]] = ended.told("retry")
    if len(retries) != 1:
        return f"{len(retries)} repetitions"
    delay = float(retries[0]["seconds"])
    return "" if delay >= seconds else f"waited {delay} s of {seconds}"


def explain_end(ended: Ended) -> str:
    """Return how the run ended instead."""
    last = ended.events[-1] if ended.stdout else {}
    message = last.get("message") or last.get("summary") or ended.stderr.strip()
    return f"exit code {ended.code}: {message}"
