"""The log of requests in its file."""

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from maxagent.models.cassette import request_log
from maxagent.models.cassette.replay_model import read_cassette
from maxagent.models.cassette.request_log import RequestLog
from maxagent.models.providers import load_providers
from maxagent.models.resolver import ResolvedModel

MODEL = ResolvedModel(load_providers()["glm"], "m", "http://host/v1", "k")


def read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_only_new_messages_are_written(tmp_path: Path) -> None:
    log, messages = RequestLog(tmp_path / "logs" / "t.jsonl"), list[BaseMessage]()
    for text in "abc":
        messages.append(HumanMessage(text))
        number = log.log_request("build", MODEL, messages, ["grep"], "")
    log.log_answer(number, AIMessage("x"), 1.5)
    *requests, answer = read(tmp_path / "logs" / "t.jsonl")
    assert [(line["from"], len(line["messages"])) for line in requests] == [(0, 1), (1, 1), (2, 1)]
    assert len({line["hash"] for line in requests}) == 3
    assert (answer["number"], answer["text"], answer["seconds"]) == (
        requests[2]["number"],
        "x",
        1.5,
    )
    assert (tmp_path / "logs" / "t.jsonl").stat().st_mode & 0o777 == 0o600


def test_key_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLM_API_KEY", "the-secret-of-the-user-77")
    log = RequestLog(tmp_path / "t.jsonl")
    log.log_request("build", MODEL, [HumanMessage("the-secret-of-the-user-77")], [], "")
    log.log_event({"type": "notice", "text": "the-secret-of-the-user-77"})
    assert "the-secret" not in (tmp_path / "t.jsonl").read_text()


def test_large_log_starts_a_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_log, "MAX_LOG_BYTES", 2_000)
    log, messages = RequestLog(tmp_path / "t.jsonl"), list[BaseMessage]()
    for number in range(200):
        messages.append(HumanMessage(f"message {number}"))
        log.log_request("build", MODEL, messages[-3:], [], "")
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["t.jsonl", *(f"t.jsonl.{number}" for number in range(1, 5))]
    assert all(read(tmp_path / name)[0]["from"] == 0 for name in names)


def test_unwritable_log_does_not_stop_a_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    RequestLog(tmp_path / "file" / "t.jsonl").log_event({"type": "notice"})


def test_half_line_of_a_kill_is_ended(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text('{"type": "request", "half')
    log = RequestLog(file)
    number = log.log_request("build", MODEL, [HumanMessage("a")], [], "")
    log.log_answer(number, AIMessage("x"), 1.0)
    assert [recording.answer.text for recording in read_cassette(file)] == ["x"]


def test_name_that_is_no_text_is_logged(tmp_path: Path) -> None:
    RequestLog(tmp_path / "t.jsonl").log_event({"type": "notice", "text": "a\udcff"})
    assert read(tmp_path / "t.jsonl")[0]["event"]["text"] == "a\udcff"
