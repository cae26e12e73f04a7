from dataclasses import fields
from pathlib import Path

import pytest

from maxagent.nodes.events.union import KINDS, as_json, parse_event

PAGE = (Path(__file__).parents[3] / "docs/events.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", KINDS)
def test_every_event_and_field_is_documented(name):
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |"))
    assert [f.name for f in fields(KINDS[name]) if f"`{f.name.removesuffix('_')}`" not in row] == []


def test_an_event_survives_the_way_through_json():
    texts = {"type": "repair", "round": 1, "of": 3}
    assert as_json(parse_event(texts)) == texts


def test_a_field_may_be_called_like_a_python_word():
    texts = {"type": "model_changed", "from": "a/b", "to": "c/d", "reason": "quota"}
    assert as_json(parse_event(texts)) == {
        **texts,
        "price_before": None,
        "price_after": None,
        "agent": "",
    }


@pytest.mark.parametrize("message", [{"type": "nonsense"}, {"type": "repair", "round": 1}])
def test_an_unknown_or_incomplete_event_is_refused(message):
    with pytest.raises((KeyError, TypeError)):
        parse_event(message)
