"""Copilot as people use it: one billed request a message, and tokens that end in the middle."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from github import TOKEN, GitHub
from program import Program

from maxagent.models.auth.credentials import Credential, read_credentials, store_credential

LOOK = {"tool_calls": [{"name": "list_files", "args": {}}]}
COPILOT = ("--model", "copilot/gpt-4o", "--output", "stream-json")


@pytest.fixture
def github() -> Iterator[GitHub]:
    with GitHub() as server:
        yield server


@pytest.fixture
def copilot(tmp_path: Path, github: GitHub) -> Program:
    """`mcode` with a login to the stand-in, and no key."""
    started = Program(tmp_path, "", key="")
    github.write_config(started.home)
    store_credential(started.home, "copilot", Credential(TOKEN, host=github.host))
    return started


def test_each_message_is_billed_once(copilot: Program, github: GitHub) -> None:
    github.script([LOOK, LOOK, {"text": "One."}, LOOK, {"text": "Two."}])
    first = copilot.run("chat", "one", *COPILOT)
    assert first.last["summary"] == "One."
    assert copilot.run("chat", "two", "-c", *COPILOT).last["summary"] == "Two."
    assert github.initiators == ["user", "agent", "agent", "user", "agent"]
    assert github.exchanges == 1
    assert TOKEN not in first.stdout and copilot.files_with("tid=session") != []
    assert [file.name for file in copilot.files_with("tid=session")] == ["credentials.json"]


def test_a_retried_request_is_not_billed_again(copilot: Program, github: GitHub) -> None:
    refused = {"status": 503, "headers": {"Retry-After": "0"}, "body": "no"}
    github.script([refused, {"text": "One."}])
    assert copilot.run("chat", "one", *COPILOT).last["summary"] == "One."
    assert github.initiators == ["user", "agent"]


def test_a_resumed_message_is_not_billed_again(copilot: Program, github: GitHub) -> None:
    github.script([{"status": 400, "body": "no"}, {"text": "One."}, {"text": "Two."}])
    failed = copilot.run("chat", "one", *COPILOT)
    assert failed.code == 1
    (thread,) = {event["thread_id"] for event in failed.events if "thread_id" in event}
    assert copilot.resume(thread).last["summary"] == "One."
    copilot.run("chat", "two", "-c", *COPILOT)
    assert github.initiators == ["user", "agent", "user"]


@pytest.mark.parametrize("command", [["task", "--skip-tests"], ["edit", "a.txt"]])
def test_a_job_is_billed_once(copilot: Program, github: GitHub, command: list[str]) -> None:
    done = {"text": "SMALL: nothing to do."}
    github.script(lambda _: LOOK if len(github.chats) == 1 else done)
    ended = copilot.run(*command, "Do it.", *COPILOT)
    assert ended.last["type"] == "completion", ended.stdout + ended.stderr
    assert len(github.chats) > 1
    assert github.initiators == ["user", *["agent"] * (len(github.chats) - 1)]


def test_tokens_that_end_in_a_tool_loop_are_renewed(copilot: Program, github: GitHub) -> None:
    github.expiry_before = 3
    github.script([LOOK, LOOK, LOOK, {"text": "Done."}])
    ended = copilot.run("chat", "one", *COPILOT)
    assert ended.last["summary"] == "Done."
    assert github.exchanges == 2 and len(github.chats) == 5
    assert github.initiators.count("user") == 1


def test_a_token_is_renewed_before_its_end(copilot: Program, github: GitHub) -> None:
    stored = read_credentials(copilot.home)["copilot"]
    github.accepted.add("old")
    ending = {"session": "old", "session_url": f"{github.host}/copilot", "expires_at": 1.0}
    store_credential(copilot.home, "copilot", replace(stored, **ending, renew_at=time.time() - 1))
    github.script([{"text": "Done."}])
    assert copilot.run("chat", "one", *COPILOT).last["summary"] == "Done."
    assert github.chats[0].headers["Authorization"] != "Bearer old"


def test_an_endless_401_ends_after_one_renewal(copilot: Program, github: GitHub) -> None:
    github.routes["/copilot/chat/completions"] = lambda _: {"status": 401, "body": "no"}
    ended = copilot.run("chat", "one", *COPILOT)
    assert (ended.code, len(github.chats), github.exchanges) == (1, 2, 2)
    assert "mcode auth login copilot" in ended.stdout + ended.stderr


def test_an_account_without_copilot_is_named(copilot: Program, github: GitHub) -> None:
    github.refusal = 403
    ended = copilot.run("chat", "one", *COPILOT)
    assert ended.code == 1 and "the account has no GitHub Copilot" in ended.stdout + ended.stderr
