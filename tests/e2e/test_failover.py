"""A provider's limit, and models that stand in for one another, over HTTP and across processes."""

import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from faults import Answer, says
from program import MODE, Ended, Program
from provider import Provider, Request
from test_kill import read_until

TASK = [{"text": "SMALL: log.txt"}, says("one"), says("two"), says("three")]
END = [{"text": "Three lines are written."}, {"text": "Accepted."}]
LINES = ["one", "two", "three"]
TESTS = 'test -z "$(sort log.txt | uniq -d)"'
DAYS = 3 * 86_400
QUOTA = {"status": 429, "body": {"error": {"message": "quota", "code": "insufficient_quota"}}}
BUSY = {"status": 503, "body": {"error": {"message": "overloaded"}}}
LATER = {"status": 429, "headers": {"Retry-After": str(DAYS)}, "body": {"error": "come back"}}
BAD_KEY = {"status": 401, "body": {"error": {"message": "no such key"}}}
CHAIN = "[glm/glm-5.3, deepseek/deepseek-v4-pro]"


def maker_of(request: Request) -> str:
    return request.path.split("/")[2]


def environ(url: str, **more: str) -> dict[str, str]:
    """Three makers at one server, each below its own path."""
    makers = ("OPENAI", "GLM", "DEEPSEEK")
    places = {f"{maker}_BASE_URL": f"{url}/{maker.lower()}" for maker in makers}
    keys = {f"{maker}_API_KEY": f"key-of-{maker.lower()}-12345" for maker in makers}
    return {**places, **keys, "LLC_TASK__TEST_COMMAND": TESTS, **more}


@pytest.fixture
def makers(tmp_path: Path, provider: Provider) -> Program:
    """`mcode` with three makers that answer in turn."""
    return Program(tmp_path, provider.url, environ(provider.url))


def run_task(program: Program, *options: str, mode: str = "auto", **more: str) -> Ended:
    model = ["--model", "openai/gpt-4o", "--mode", mode, "--apply"]
    output = ["--output", "stream-json"]
    return program.run("task", "Write the lines.", *model, *output, *MODE, *options, **more)


def play(faults: Mapping[str, Callable[[int], Answer | None]]) -> Callable[[Request], Answer]:
    """Give the task's answers in order, where no fault of the maker comes in between.

    A fault sees how many good answers there were.
    """
    good: Iterator[tuple[int, Answer]] = enumerate([*TASK, *END])
    done = 0

    def answer(request: Request) -> Answer:
        nonlocal done
        fault = faults.get(maker_of(request), lambda _: None)(done)
        if fault:
            return fault
        done += 1
        return next(good)[1]

    return answer


def test_three_makers_end_a_task_as_one_does(makers: Program, provider: Provider) -> None:
    provider.script(
        play(
            {
                "openai": lambda done: QUOTA if done >= 2 else None,
                "glm": lambda done: {**BUSY} if done >= 3 else None,
            }
        )
    )
    ended = run_task(makers, LLC_MODEL__FALLBACK=CHAIN, LLC_MODEL__MAX_RETRIES="1")
    assert (ended.code, ended.outcome, makers.lines()) == (0, "verified", LINES)
    changes = [(item["from"], item["to"]) for item in ended.told("model_changed")]
    assert changes == [
        ("openai/gpt-4o", "glm/glm-5.3"),
        ("glm/glm-5.3", "deepseek/deepseek-v4-pro"),
    ]
    first = ended.told("model_changed")[0]
    assert first["price_before"] == {"input": 2.5, "output": 10, "cached": 1.25}
    assert first["price_after"] == {"input": 1.4, "output": 4.4, "cached": 0.26}
    assert "quota" in first["reason"]
    # each stays for the turn: nobody is asked again who could not answer
    asked = [maker_of(request) for request in provider.requests]
    assert asked == ["openai"] * 3 + ["glm"] * 3 + ["deepseek"] * 3


def test_a_bad_key_fails_over_and_a_refusal_does_not(makers: Program, provider: Provider) -> None:
    provider.script(play({"openai": lambda _: BAD_KEY}))
    ended = run_task(makers, LLC_MODEL__FALLBACK=CHAIN)
    assert (ended.outcome, makers.lines()) == ("verified", LINES)
    provider.script(lambda _: {"text": "", "finish_reason": "content_filter"})
    refused = run_task(makers, LLC_MODEL__FALLBACK=CHAIN)
    assert (refused.code, refused.told("model_changed")) == (1, [])


def test_a_dearer_model_is_asked_about_first(makers: Program, provider: Provider) -> None:
    provider.script(play({"glm": lambda done: QUOTA}))
    start = ["--model", "glm/glm-4.6", "--mode", "ask", "--output", "stream-json", *MODE]
    chain = {"LLC_MODEL__FALLBACK": "[openai/gpt-4o]"}
    asked = makers.run("task", "Write the lines.", *start, "--apply", **chain)
    assert (asked.code, asked.told("model_changed")) == (4, [])
    request = asked.last["action_requests"][0]
    assert (request["name"], request["args"]["to"]) == ("change_model", "openai/gpt-4o")
    assert request["args"]["price_after"]["output"] == 10
    thread = asked.last["thread_id"]
    denied = makers.resume(thread, "--reject", "too dear", **chain)
    assert (denied.code, denied.last["kind"], denied.last["provider"]) == (3, "limit", "glm")
    assert maker_of(provider.requests[-1]) == "glm"


def test_an_approved_dearer_model_goes_on(makers: Program, provider: Provider) -> None:
    provider.script(play({"glm": lambda done: QUOTA}))
    start = ["--model", "glm/glm-4.6", "--mode", "ask", "--output", "stream-json", *MODE]
    chain = {"LLC_MODEL__FALLBACK": "[openai/gpt-4o]"}
    asked = makers.run("task", "Write the lines.", *start, "--apply", **chain)
    before = len(provider.requests)
    ended = makers.resume(asked.last["thread_id"], "--approve", "--mode", "auto", **chain)
    assert (ended.code, ended.outcome, makers.lines()) == (0, "verified", LINES)
    # the model that failed is not asked again
    assert {maker_of(request) for request in provider.requests[before:]} == {"openai"}
    (change,) = ended.told("model_changed")
    assert (change["from"], change["to"]) == ("glm/glm-4.6", "openai/gpt-4o")
    assert "quota" in change["reason"]


def limit_once() -> Callable[[int], Answer | None]:
    """A limit of three days before the third answer, once."""
    remaining = [LATER]
    return lambda done: remaining.pop() if done == 2 and remaining else None


def test_three_days_park_survive_a_kill_and_resume(makers: Program, provider: Provider) -> None:
    provider.script(play({"openai": limit_once()}))
    parked = run_task(makers)
    assert (parked.code, parked.last["type"], parked.last["kind"]) == (3, "question", "limit")
    assert parked.last["provider"] == "openai"
    until = datetime.fromisoformat(parked.last["until"]).timestamp()
    assert abs(until - time.time() - DAYS) < 60
    assert (
        datetime.fromtimestamp(until, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
        in (parked.last["description"])
    )
    thread, before = parked.last["thread_id"], len(provider.requests)

    waiting = makers.start("resume", thread, "--wait")
    message = read_until(waiting, "progress")
    assert (message["task"], abs(message["total"] - DAYS) < 60) == ("wait", True)
    waiting.kill()
    assert makers.end(waiting).code == -signal.SIGKILL

    again = makers.resume(thread)
    assert (again.code, again.last["until"]) == (3, parked.last["until"])
    assert len(provider.requests) == before
    ended = makers.resume(thread, "--model", "deepseek/deepseek-v4-pro")
    assert (ended.code, ended.outcome, makers.lines()) == (0, "verified", LINES)


@pytest.mark.parametrize("graph", ["task", "chat"])
def test_now_asks_before_the_limit_is_over(makers: Program, provider: Provider, graph: str) -> None:
    provider.script([{**LATER}, {**LATER}, {"text": "SMALL"}, *[{"text": "Accepted."}] * 4])
    text = MODE if graph == "task" else []
    options = ["--model", "openai/gpt-4o", "--output", "stream-json", *text]
    parked = makers.run(graph, "Write the lines.", *options)
    assert (parked.code, parked.last["kind"]) == (3, "limit")
    thread = parked.last["thread_id"]
    assert makers.resume(thread).code == 3 and len(provider.requests) == 1
    again = makers.resume(thread, "--now")
    assert (again.code, again.last["kind"], len(provider.requests)) == (3, "limit", 2)
    ended = makers.resume(thread, "--now")
    assert ended.last["type"] == "completion" and len(provider.requests) > 2


def test_now_and_wait_exclude_each_other(makers: Program) -> None:
    ended = makers.run("resume", "--now", "--wait")
    assert ended.code == 2 and "cannot be used together" in ended.stderr


def test_ctrl_c_during_the_wait_leaves_it_parked(makers: Program, provider: Provider) -> None:
    provider.script(play({"openai": limit_once()}))
    parked = run_task(makers)
    waiting = makers.start("resume", parked.last["thread_id"], "--wait")
    read_until(waiting, "progress")
    waiting.send_signal(signal.SIGINT)
    ended = makers.end(waiting)
    assert (ended.code, ended.last["kind"]) == (130, "limit")
    assert ended.last["until"] == parked.last["until"]


def test_an_exhausted_quota_parks_with_its_usage(makers: Program, provider: Provider) -> None:
    remaining = [QUOTA]
    provider.script(
        play({"openai": lambda done: remaining.pop() if done == 2 and remaining else None})
    )
    parked = run_task(makers)
    assert (parked.code, parked.last["kind"], parked.last["until"]) == (3, "limit", "")
    usage: dict[str, Any] = parked.last["usage"]
    assert (usage["requests"], usage["prompt"], usage["completion"]) == (2, 20, 10)
    assert usage["total"] == 30 and usage["cost"] > 0 and usage["seconds"] > 0
    ended = makers.resume(parked.last["thread_id"])
    assert (ended.code, ended.outcome, makers.lines()) == (0, "verified", LINES)
    assert ended.last["usage"]["requests"] == len(TASK) + len(END)


def test_a_text_run_says_when_it_can_go_on(makers: Program, provider: Provider) -> None:
    provider.script(lambda _: {**LATER})
    model = ["--model", "openai/gpt-4o", "--mode", "auto"]
    ended = makers.run("task", "Write the lines.", *model, "--output", "text", *MODE)
    assert ended.code == 3
    assert re.search("2 d 23 h|3 d 0 h", ended.stderr) and "--wait" in ended.stderr


def test_a_wait_goes_on_when_the_limit_is_over(makers: Program, provider: Provider) -> None:
    soon = {**QUOTA, "status": 402, "headers": {"Retry-After": "5"}}
    remaining, moments = [soon], list[float]()
    answer = play({"openai": lambda done: remaining.pop() if done == 2 and remaining else None})

    def note_moment(request: Request) -> Answer:
        moments.append(time.time())
        return answer(request)

    provider.script(note_moment)
    parked = run_task(makers)
    assert (parked.code, parked.last["kind"]) == (3, "limit")
    until, before = datetime.fromisoformat(parked.last["until"]).timestamp(), len(moments)
    ended = makers.resume(parked.last["thread_id"], "--wait")
    assert (ended.code, ended.outcome, makers.lines()) == (0, "verified", LINES)
    assert moments[before] >= until
