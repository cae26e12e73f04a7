"""Images: mentioned, pasted or read; shown to a model that sees, in words for others."""

import json
from pathlib import Path
from typing import Any

import pytest
from pictures import PNG
from program import Program
from provider import Provider

WORDS = f"image/png, {len(PNG)} bytes"


@pytest.fixture
def picture(program: Program) -> Path:
    file = program.project / "picture.png"
    file.write_bytes(PNG)
    return file


def see(program: Program, vision: bool) -> None:
    program.home.mkdir(exist_ok=True)
    models = {"served": {"vision": vision}}
    (program.home / "config.yaml").write_text(json.dumps({"model": {"models": models}}))


def parts(provider: Provider, request: int = -1) -> list[dict[str, Any]]:
    messages = provider.requests[request].body["messages"]
    lists = [each["content"] for each in messages if isinstance(each["content"], list)]
    return [part for content in lists for part in content if part["type"] == "image_url"]


def test_mentioned_image_is_shown(program: Program, provider: Provider, picture: Path) -> None:
    see(program, True)
    provider.script([{"text": "A cat."}, {"text": "Still a cat."}])
    ended = program.chat("What is on @picture.png?")
    assert (ended.code, len(parts(provider))) == (0, 1)
    assert ended.told("mentioned")[0]["shown"] == ["picture.png"]
    program.chat("--continue", "And now?")
    assert parts(provider) == parts(provider, 0)


def test_pasted_path_outside_is_shown(program: Program, provider: Provider, tmp_path: Path) -> None:
    see(program, True)
    (tmp_path / "my shot.png").write_bytes(PNG)
    provider.script([{"text": "A cat."}] * 2)
    program.chat(f"Look at '{tmp_path}/my shot.png'")
    program.chat(f"Look at {tmp_path}/my\\ shot.png")
    assert [len(parts(provider, request)) for request in (0, 1)] == [1, 1]


def test_read_image_is_shown_after_result(
    program: Program, provider: Provider, picture: Path
) -> None:
    see(program, True)
    call = {"name": "read_file", "args": {"path": "picture.png"}}
    provider.script([{"tool_calls": [call]}, {"text": "A cat."}])
    ended = program.chat("What is on the picture?")
    roles = [message["role"] for message in provider.requests[1].body["messages"]]
    assert roles[-3:] == ["assistant", "tool", "user"]
    assert WORDS in provider.requests[1].body["messages"][-2]["content"]
    assert (ended.code, len(parts(provider))) == (0, 1)


def test_blind_model_gets_words(program: Program, provider: Provider, picture: Path) -> None:
    see(program, False)
    provider.script([{"text": "I cannot see it."}])
    ended = program.chat("What is on @picture.png?")
    assert any("does not see images" in event["text"] for event in ended.told("notice"))
    assert parts(provider) == []
    assert WORDS in json.dumps(provider.requests[0].body)
    assert "This model does not see images" in json.dumps(provider.requests[0].body)


def test_picture_is_named_when_disk_refuses_it(
    program: Program, provider: Provider, tmp_path: Path
) -> None:
    see(program, True)
    (tmp_path / "shot.png").write_bytes(PNG)
    outputs = program.home / "data" / "outputs"
    outputs.parent.mkdir(parents=True, mode=0o700)
    outputs.write_text("no folder")
    provider.script([{"text": "Fine."}])
    ended = program.chat(f"Look at {tmp_path}/shot.png")
    assert (ended.code, ended.last["summary"], parts(provider)) == (0, "Fine.", [])


def test_fake_image_outside_stays_a_name(
    program: Program, provider: Provider, tmp_path: Path
) -> None:
    see(program, True)
    (tmp_path / "key.png").write_text("a secret text")
    provider.script([{"text": "Fine."}])
    program.chat(f"Look at {tmp_path}/key.png")
    assert "a secret text" not in json.dumps(provider.requests[0].body)
