"""The schemas in docs/ say what the code prints and reads."""

import json
import runpy
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from maxagent.cli.execution.stream_json import parse_line
from maxagent.config.errors import UsageError
from maxagent.sdk.events import KINDS, Completion, Notice, as_json

SCRIPT = Path(__file__).parents[2] / "docs/schema.py"


@pytest.fixture(scope="module")
def script() -> Mapping[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_the_schemas_are_those_of_the_code(script: Mapping[str, Any]) -> None:
    for path, text in script["pages"]().items():
        assert path.read_text(encoding="utf-8") == text, "run `make docs`"


def test_every_event_and_every_field_is_in_it(script: Mapping[str, Any]) -> None:
    result = script["events"]()["$defs"]
    Draft202012Validator.check_schema(script["events"]())
    for name, kind in KINDS.items():
        names = {"type", *(field.name.rstrip("_") for field in fields(kind))}
        assert (set(result[name]["properties"]), set(result[name]["required"])) == (names, names)


def test_schema_accepts_events_and_rejects_others(script: Mapping[str, Any]) -> None:
    valid = Draft202012Validator(script["events"]()).is_valid
    end = as_json(Completion("t", "answered", "hi", None, [], "", "chat"))
    assert valid(end) and valid(as_json(Notice("hi"))) and valid({**end, "new": 1})
    assert not valid({**end, "outcome": "perhaps"}) and not valid({"type": "completion"})
    assert not valid({"type": "unheard of"})


@pytest.mark.parametrize(
    "line",
    [
        '{"type": "user", "text": "hi"}',
        '{"type": "user", "text": "hi", "abandon": true}',
        '{"type": "answer", "approve": true}',
        '{"type": "answer", "decisions": [{"type": "reject", "message": "no"}]}',
        '{"type": "interrupt"}',
        '{"type": "resume"}',
        '{"type": "resume", "text": "hi"}',
        '{"type": "user"}',
        '{"type": "user", "text": 1}',
        "{}",
        "[]",
    ],
)
def test_what_the_schema_of_lines_allows_is_read(line: str, script: Mapping[str, Any]) -> None:
    allowed = Draft202012Validator(script["lines"]()).is_valid(json.loads(line))
    try:
        read = bool(parse_line(line.encode(), 1))
    except UsageError:
        read = False
    assert read == allowed
