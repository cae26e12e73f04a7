"""The file of `--json-schema`: whatever is wrong with it is wrong input."""

from pathlib import Path

import pytest

from maxagent.cli.repl.json_schema_file import read_schema
from maxagent.config.errors import UsageError


def test_a_schema_is_read(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text('\ufeff{"type": "object"}', encoding="utf-8")
    assert read_schema(file) == {"type": "object"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read: No such file"),
        (b"", "line 1, column 1"),
        (b'{"type": "object",\n}', "line 2, column 1"),
        (b"\xff\xfe\x00", "is not valid JSON"),
        (b"[" * 100_000, "is not valid JSON"),
        (b"[]", "is not a JSON schema"),
        (b'{"type": "objet"}', "is not a JSON schema: `$.type`"),
        (b'{"$ref": "other.json"}', "refers to `other.json`"),
    ],
)
def test_what_cannot_be_used_is_told(content: bytes | None, words: str, tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read_schema(file)
    assert str(file) in caught.value.message and words in caught.value.message
    assert caught.value.hint


def test_a_folder_is_no_schema(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        read_schema(tmp_path)
