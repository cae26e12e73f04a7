"""The bridge: a summary of hidden messages made without a model."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from .pruning import WRITING
from .stubs import format_call
from .token_estimate import estimate_text
from .user_requests import ends_turn, is_request

# Key in a result's `additional_kwargs`: the ID under which its command runs on
IN_BACKGROUND = "background"
# Sentences of the user that bind later work
BINDING = re.compile(
    r"\b(?:must|never|always|only|don't|do not|doesn't|should(?:n't)?|mustn't|cannot|can't|avoid|"
    r"without|instead|prefer|keep|remember|make sure|no longer|not)\b"
    r"|必须|不要|不能|不得|不许|禁止|务必|一定|只能|只用|总是|永远|始终|保持|记住|避免|应该|改用|不用|别",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?。！？；;])\s*|\n+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class _Headings:
    """The headings in one language."""

    title: str
    requests: str
    constraints: str
    failure: str
    changed: str
    read: str
    commands: str
    answers: str


ENGLISH = _Headings(
    title="Notes on the work so far, made from its record.",
    requests="What was asked, oldest first:",
    constraints="Constraints and decisions in the user's words:",
    failure="The last failure:",
    changed="Files changed:",
    read="Files read (read them again before you rely on them):",
    commands="Commands:",
    answers="The last answers:",
)
CHINESE = _Headings(
    title="到目前为止的工作记录，由记录自动生成。",
    requests="用户的要求（从早到晚）：",
    constraints="用户提出的约束和决定（原话）：",
    failure="最近一次失败：",
    changed="修改过的文件：",
    read="读过的文件（使用前请重新读取）：",
    commands="运行过的命令：",
    answers="最近的回答：",
)


@dataclass
class _Record:
    """What happened in the messages; of each thing the last time counts."""

    requests: list[str] = field(default_factory=list[str])
    constraints: dict[str, None] = field(default_factory=dict[str, None])
    changed: dict[str, None] = field(default_factory=dict[str, None])
    read: dict[str, None] = field(default_factory=dict[str, None])
    commands: dict[str, str] = field(default_factory=dict[str, str])
    failure: str = ""
    failed_call: str = ""
    answers: list[str] = field(default_factory=list[str])


def build_bridge(messages: Sequence[AnyMessage], tokens: int) -> str:
    """Return a summary of at most so many estimated tokens, in the language of the user's words.

    It has what was asked, constraints and decisions in the user's words, files read and changed,
    commands with exit codes and the last failure, and the last three answers. `messages` are all
    that the next view hides, from the beginning of the conversation.
    """
    record = _read_messages(messages)
    headings = _choose_headings([*record.requests, *record.constraints])
    sections = _list_sections(record, headings)
    left = tokens - estimate_text(headings.title) - len(sections) * 2
    parts = [headings.title]
    shares = sum(share for _, _, share, _ in sections)
    for title, lines, share, keep_first in sections:
        # what a section does not need is left for those after it
        room = left * share // max(shares, 1) - estimate_text(title) - 1
        fitted = _fit_lines(lines, room, keep_first=keep_first)
        shares -= share
        if fitted:
            part = "\n".join([title, *fitted])
            parts.append(part)
            left -= estimate_text(part) + 1
    return _cut_text("\n\n".join(parts), tokens)


def _list_sections(record: _Record, headings: _Headings) -> list[tuple[str, list[str], int, bool]]:
    """Return title, lines, share of the room, and whether the first line comes before the last."""
    commands = [f"- {command}: {result}" for command, result in record.commands.items()]
    sections = [
        (headings.constraints, [f"- {sentence}" for sentence in record.constraints], 20, True),
        (headings.requests, [f"- {request}" for request in record.requests], 20, True),
        (headings.failure, [record.failure] if record.failure else [], 15, False),
        (headings.changed, [f"- {path}" for path in record.changed], 15, False),
        (headings.commands, commands, 10, False),
        (headings.answers, [f"- {answer}" for answer in record.answers[-3:]], 12, False),
        (headings.read, [f"- {path}" for path in record.read], 8, False),
    ]
    return [section for section in sections if section[1]]


def _read_messages(messages: Sequence[AnyMessage]) -> _Record:
    record, calls = _Record(), dict[str, Mapping[str, Any]]()
    for message in messages:
        if is_request(message):
            words = str(message.text).strip()
            record.requests.append(" ".join(words.split()))
            record.constraints |= dict.fromkeys(_find_binding_sentences(words))
        elif isinstance(message, AIMessage):
            own_calls = cast("Sequence[Mapping[str, Any]]", message.tool_calls)
            calls = {str(call["id"]): call for call in own_calls}
            if ends_turn(message) and message.text:
                record.answers.append(" ".join(str(message.text).split()))
        elif isinstance(message, ToolMessage) and message.tool_call_id in calls:
            _read_result(record, message, calls[message.tool_call_id])
    return record


def _read_result(record: _Record, result: ToolMessage, call: Mapping[str, Any]) -> None:
    paths = [*(result.additional_kwargs.get("seen") or ())]
    line, failed = format_call(call), result.status == "error"
    if call["name"] in WRITING and not failed:
        for path in paths:
            record.changed.pop(path, None)
            record.changed[path] = None
    elif call["name"] == "run_command":
        record.commands.pop(line, None)
        record.commands[line] = _describe_end(result)
    else:
        record.read |= dict.fromkeys(paths)
    if failed:
        record.failure, record.failed_call = f"{line}\n{result.text}", line
    elif record.failed_call == line:
        record.failure = record.failed_call = ""


def _describe_end(result: ToolMessage) -> str:
    """Return how a command ended, or that it went on in the background."""
    if result.status == "error":
        return str(result.text).split("\n", 1)[0].removeprefix("Error: ")
    running = result.additional_kwargs.get(IN_BACKGROUND)
    return f"went on in the background, id: {running}" if running else "exit code 0"


def _find_binding_sentences(words: str) -> Iterator[str]:
    for sentence in _SENTENCE.split(words):
        line = " ".join(sentence.split())
        if 3 < len(line) <= 400 and BINDING.search(line):
            yield line


def _choose_headings(texts: Sequence[str]) -> _Headings:
    written = "".join(texts)
    return CHINESE if len(_CJK.findall(written)) * 8 > len(written) else ENGLISH


def _fit_lines(lines: Sequence[str], room: int, *, keep_first: bool) -> list[str]:
    """Return the lines that fit, in order: the last ones, before them the first if it matters."""
    order = [*reversed(range(len(lines)))]
    if keep_first and len(order) > 1:
        order = [order[0], order[-1], *order[1:-1]]
    longest = max(room // min(len(lines), 3), 12)
    fitted, left = dict[int, str](), room
    for at in order:
        line = _cut_text(lines[at], min(longest, left))
        tokens = estimate_text(line) + 1
        if not line or tokens > left:
            break
        fitted[at], left = line, left - tokens
    return [fitted[at] for at in sorted(fitted)]


def _cut_text(words: str, tokens: int) -> str:
    """Return the text, or its beginning and its end with a mark between them."""
    estimated, size = estimate_text(words), len(words)
    while estimated > tokens:
        size = size * max(tokens, 0) // estimated - 4
        if size < 8:
            return ""
        short = f"{words[: size // 2]} … {words[len(words) - size // 2 :]}"
        estimated = estimate_text(short)
        if estimated <= tokens:
            return short
    return words
