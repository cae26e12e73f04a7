"""A log read as a recording."""

import json
from pathlib import Path
from typing import Any

import pytest

from maxagent.config.errors import UsageError
from maxagent.models.cassette.replay_model import read_cassette


def write(path: Path, *lines: dict[str, Any] | str) -> Path:
    text = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(f"{line}\n" for line in text))
    return path


def asked(number: int, kept: int, *texts: str, agent: str = "build") -> dict[str, Any]:
    messages = [{"type": "human", "text": text} for text in texts]
    fields = {"number": number, "agent": agent, "hash": str(number), "messages": messages}
    return {"type": "request", "from": kept, **fields}


def answered(number: int, text: str) -> dict[str, Any]:
    return {"type": "answer", "number": number, "text": text}


def test_requests_repeat_the_start_of_the_last(tmp_path: Path) -> None:
    file = write(
        tmp_path / "log.jsonl",
        asked(1, 0, "a", "b"),
        answered(1, "one"),
        {"type": "event", "event": {}},
        asked(2, 0, "x", agent="tester"),
        asked(3, 1, "c"),
        answered(3, "three"),
    )
    recordings = read_cassette(file)
    assert [recording.answer.text for recording in recordings] == ["one", "three"]
    assert [message["text"] for message in recordings[1].messages] == ["a", "c"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "has no answered request"),
        ("[]", "has no answered request"),
        ('{"type": "request"}', "line 1: 3 validation errors"),
        ('{"type": "answer", "number": 4}', "line 1: (0, 4)"),
        ('{"type": "event"}', "has no answered request"),
    ],
)
def test_broken_recording_says_its_line(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_cassette(write(tmp_path / "log.jsonl", line))
    assert reason in caught.value.message


def test_missing_recording_is_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_cassette(tmp_path / "none.jsonl")
