from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxagent.config.errors import UsageError
from maxagent.config.settings.sources import Layer, build_layer, merge_layers
from maxagent.config.yaml.editor import with_value
from maxagent.config.yaml.reader import parse_document

HAND_WRITTEN = """\
# mine
---
litellm:
    provider:   "glm"      # usual
    api_key: ${KEY}   # never plain

tools:
    disabled:  # slow ones
      - grep   # very
      - glob

# what may be touched
security:
    mode: ask
agents:
    coder:
        system_prompt: |
            Hello

            there

# end
task: {test_command: "pytest -q", repair_rounds: 2}
model:
    # default: x
"""


@pytest.mark.parametrize(
    "key, value, old, new",
    [
        ("litellm.provider", "openai", '"glm"', "openai"),
        ("litellm.api_key", "${OTHER}", "${KEY}", '"${OTHER}"'),
        ("litellm.base_url", "http://x", "plain\n", 'plain\n    base_url: "http://x"\n'),
        (
            "tools.disabled",
            ["a b", "c"],
            "  # slow ones\n      - grep   # very\n      - glob",
            ' ["a b", c]  # slow ones',
        ),
        ("tools.enabled", [], "- glob\n", "- glob\n    enabled: []\n"),
        ("security.mode", "auto", "mode: ask", "mode: auto"),
        (
            "agents.coder.system_prompt",
            "one\ntwo",
            "|\n            Hello\n\n            there",
            '"one\\ntwo"',
        ),
        (
            "agents.tester.system_prompt",
            "x",
            "there\n",
            "there\n    tester:\n      system_prompt: x\n",
        ),
        ("task.repair_rounds", 3, "rounds: 2", "rounds: 3"),
        ("task.test_timeout", 1.5, "rounds: 2", "rounds: 2, test_timeout: 1.5"),
        ("model.default", "true", "model:\n", 'model:\n  default: "true"\n'),
        ("language", "zh", "model:\n", "model:\nlanguage: zh\n"),
    ],
)
def test_only_the_value_changes(key: str, value: object, old: str, new: str) -> None:
    assert HAND_WRITTEN.count(old) == 1
    changed = with_value(HAND_WRITTEN, tuple(key.split(".")), value)
    assert changed == HAND_WRITTEN.replace(old, new)
    assert parse_document(Path("f"), changed).values == wished(
        HAND_WRITTEN, tuple(key.split(".")), value
    )


@pytest.mark.parametrize(
    "old, new",
    [
        ("", "model:\n  default: x\n"),
        ("# note", "# note\nmodel:\n  default: x\n"),
        ("---\n", "---\nmodel:\n  default: x\n"),
        ("{}\n", "{model: {default: x}}\n"),
        ("model: {}", "model: {default: x}"),
        ("model: null\n", "model: {default: x}\n"),
        ("model:\n", "model:\n  default: x\n"),
        ("model: # note\n\ntask:\n", "model: # note\n  default: x\n\ntask:\n"),
        ("model:\n  default:\n# note\n", "model:\n  default: x\n# note\n"),
        ("model:\n  default: 'y'  # note", "model:\n  default: x  # note"),
        ("model: {default: y, max_tokens: 1,}", "model: {default: x, max_tokens: 1,}"),
        ("{language: en,}", "{language: en, model: {default: x},}"),
        ("language:\n# note\n", "language:\nmodel:\n  default: x\n# note\n"),
        ("model:\r\n  max_tokens: 1\r\n", "model:\r\n  max_tokens: 1\r\n  default: x\r\n"),
        ("model:\n\n  default: >-\n    y\n    z\n\n# end", "model:\n\n  default: x\n\n# end"),
        ("b: &b {m: 1}\nmodel:\n  <<: *b\n", "b: &b {m: 1}\nmodel:\n  <<: *b\n  default: x\n"),
    ],
)  # fmt: skip
def test_every_way_to_write_a_place(old: str, new: str) -> None:
    assert with_value(old, ("model", "default"), "x") == new


def test_an_alias_is_left_to_the_human() -> None:
    with pytest.raises(UsageError, match="`model` is a YAML alias"):
        with_value("a: &a {default: y}\nmodel: *a\n", ("model", "default"), "x")


def wished(text: str, path: tuple[str, ...], value: object) -> dict[str, object]:
    """What the text means once the value is set."""
    return merge_layers(
        [Layer("", parse_document(Path("f"), text).values), build_layer("", path, value)]
    )


NAMES = st.sampled_from(["a", "b-c", "glm-4.6", "openai/gpt-4o", "true", "7", "x y", "é", "#"])
TEXTS = st.text(alphabet="aé中😀 :#-{}[]\"'\\\n\t,&*!|>%@`~0.", max_size=12)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = SCALARS | st.lists(SCALARS, max_size=3)
COMMENTS = st.sampled_from(["", "\n", "# note\n", "\n  # deeper\n", "    # odd\n\n"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A file as a person writes it: comments anywhere, every style of value, any indentation."""
    text = draw(COMMENTS)
    for name in draw(st.lists(NAMES, unique=True, max_size=3)):
        text += _entry(draw, name, 0, draw(st.integers(0, 2)))
    return text


def _entry(draw: st.DrawFn, name: str, indent: int, levels: int) -> str:
    start = " " * indent + with_value("", (name,), 0).removesuffix(" 0\n")
    if not levels:
        return start + draw(st.sampled_from(_STYLES)).replace("\n ", "\n " + " " * indent) + "\n"
    inner = indent + draw(st.sampled_from([1, 2, 4]))
    names = draw(st.lists(NAMES, unique=True, min_size=1, max_size=3))
    below = "".join(_entry(draw, each, inner, levels - 1) + draw(COMMENTS) for each in names)
    return f"{start}\n{below}"


_STYLES = [
    "", " null", " 3", "   word # why", " 'one''s'", ' "two\\n"', " [a, b]", " {k: v}", " # only",
    " |\n   text\n\n   more", " >-\n   text", "\n   - a\n   - b # last", " # why\n   - {k: v}",
]  # fmt: skip


@settings(deadline=None)
@given(documents(), st.lists(NAMES, min_size=1, max_size=3).map(tuple), VALUES)
def test_any_value_lands_in_any_document(text: str, path: Any, value: object) -> None:
    changed = with_value(text, path, value)
    assert parse_document(Path("f"), changed).values == wished(text, path, value)
    if not isinstance(value_at(text, path), dict):  # whose own comments go with it
        for note in ("# note", "# deeper", "# odd"):
            assert changed.count(note) == text.count(note)


def value_at(text: str, path: tuple[str, ...]) -> Any:
    """What the text says at the path so far."""
    values: Any = parse_document(Path("f"), text).values
    for part in path:
        values = values.get(part) if isinstance(values, dict) else None
    return values
