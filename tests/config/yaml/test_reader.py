import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxagent.config.errors import UsageError
from maxagent.config.yaml.reader import (
    MAX_BYTES,
    MAX_VALUES,
    parse_document,
    parse_inline,
    read_document,
)

FILE = Path("config.yaml")


def test_values_come_with_their_lines() -> None:
    document = parse_document(
        FILE, "# top\nmodel:\n  default: x\ntools:\n  disabled:\n    - a\n    - b\n"
    )
    assert document.values == {"model": {"default": "x"}, "tools": {"disabled": ["a", "b"]}}
    assert document.lines == {
        ("model",): 2,
        ("model", "default"): 3,
        ("tools",): 4,
        ("tools", "disabled"): 5,
        ("tools", "disabled", "0"): 6,
        ("tools", "disabled", "1"): 7,
    }


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n", "null\n"])
def test_an_empty_file_says_nothing(text: str) -> None:
    assert parse_document(FILE, text).values == {}


@pytest.mark.parametrize(
    "text, values",
    [
        ("model:\ntask: {}\n", {"model": None, "task": {}}),
        ("security: {mode: }\n", {"security": {"mode": None}}),
        ("7: x\n", {"7": "x"}),
        ("a: &x {b: 1}\nc: *x\n", {"a": {"b": 1}, "c": {"b": 1}}),
        ("a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
        ("a: yes\n", {"a": "yes"}),
        ("\ufeffa: 1\n", {"a": 1}),
    ],
)
def test_what_yaml_means(text: str, values: dict[str, object]) -> None:
    assert parse_document(FILE, text).values == values


@pytest.mark.parametrize(
    "text, message",
    [
        ("- a\n", "config.yaml:1: not a mapping"),
        ("just words\n", "config.yaml:1: not a mapping"),
        ("a: [1\nb: 2\n", "config.yaml:2: not YAML: "),
        ("a: 1\n\tb: 2\n", "config.yaml:2: not YAML: "),
        ("a: 1\n---\nb: 2\n", "config.yaml:2: not YAML: but found another document"),
        ("x: 1\na: !!python/object:os.system {}\n", "config.yaml:2: not YAML: could not determine"),
        ("x: 1\ny: a\0b\n", "config.yaml:2: not YAML: unacceptable character"),
        ("day: 2020-13-45\n", "config.yaml: not YAML: month must be in 1..12"),
    ],
)
def test_non_mapping_yaml_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_document(FILE, text)
    assert refusal.value.message.startswith(message)
    assert "\n" not in refusal.value.message


def test_duplicate_key_is_refused_without_showing_its_value() -> None:
    with pytest.raises(UsageError) as refusal:
        parse_document(FILE, "litellm:\n  api_key: sk-one\n  api_key: sk-two\n")
    assert refusal.value.message == 'config.yaml:3: not YAML: found duplicate key "api_key"'


def repeat_lists(width: int, depth: int) -> str:
    """A list of the letter, and lists that repeat the one before."""
    rows = [f"a0: &a0 [{', '.join('x' * width)}]"]
    for n in range(1, depth):
        rows.append(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]")
    return "\n".join(rows) + "\n"


BOMBS = {
    "a mapping in itself": "a: &a\n  b: *a\n",
    "a list in itself": "a: &a [*a, *a]\n",
    "a list in itself below": "a: &a [x, {b: [*a]}]\n",
    "an anchor that was another's": "x: &a 1\ny: &a [*a, *a]\n",
    "a billion laughs": repeat_lists(9, 9),
    "wide lists": repeat_lists(28, 5),
    "merged mappings": "a0: &a0 {k: v}\n"
    + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 9)),
    "too many values": f"a: [{','.join('x' * (MAX_VALUES + 1))}]\n",
    "half a million": f"a: [{','.join('x' * 499_000)}]\n",
    "repeated keys": "a: &a {k: v}\n" + "".join(f"b{n}: *a\n" for n in range(MAX_VALUES // 4)),
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.timeout(20)
def test_repeated_values_cannot_make_a_file_endless(name: str) -> None:
    with pytest.raises(UsageError, match=r"config.yaml:\d+: not YAML: (a value is|more than)"):
        parse_document(FILE, BOMBS[name])
    with pytest.raises(UsageError, match="is not YAML"):
        parse_inline(BOMBS[name])


@pytest.mark.parametrize(
    "text",
    [
        repeat_lists(9, 4),
        f"a: [{','.join('x' * (MAX_VALUES - 10))}]\n",
        "a: &a x\nb: *a\nc: [*a, *a]\n",
        "a: &a {k: v}\n" + "".join(f"b{n}: {{<<: *a, n: {n}}}\n" for n in range(500)),
        "a: &a [1]\nb: &b [*a]\nc: {<<: {d: *b}}\n",
    ],
)
def test_usual_anchors_are_read(text: str) -> None:
    assert "a" in str(parse_document(FILE, text).values)


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(UsageError, match="not YAML"):
        parse_document(FILE, "a: " + "[" * 1_000)


def test_a_missing_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert read_document(tmp_path / "nothing.yaml") is None
    assert read_document(tmp_path / "file" / "config.yaml") is None


def test_non_utf8_file_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_bytes("a: 1\nb: \xe9\n".encode("latin-1"))
    with pytest.raises(UsageError, match="config.yaml:2: not UTF-8 text"):
        read_document(file)


def test_folder_pipe_and_huge_file_are_refused_immediately(tmp_path: Path) -> None:
    (tmp_path / "folder" / "more").mkdir(parents=True)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").write_bytes(b"#" * (MAX_BYTES + 1))
    for name in ("folder", "pipe", "huge"):
        with pytest.raises(UsageError, match=f"{name}: not a configuration file"):
            read_document(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.touch(0o000)
    with pytest.raises(UsageError, match="cannot be read: Permission denied"):
        read_document(file)


def test_a_link_in_a_circle_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.symlink_to(file)
    with pytest.raises(UsageError, match="cannot be read"):
        read_document(file)


@settings(deadline=None)
@given(st.text(alphabet="ab:-#&*![]{}|>?%@`'\"\\<, \n\t\r0.~é\ufeff", max_size=40))
def test_any_text_is_a_document_or_refused(text: str) -> None:
    with contextlib.suppress(UsageError):
        assert isinstance(parse_document(FILE, text).values, dict)


def test_empty_folder_counts_as_missing_file(
    tmp_path: Path,
) -> None:
    (tmp_path / ".llc.yaml").mkdir()
    assert read_document(tmp_path / ".llc.yaml") is None
