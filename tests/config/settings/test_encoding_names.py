"""An encoding is named as Python knows it, and only one that a source file can have."""

import pytest
from pydantic import ValidationError

from maxagent.config.settings.schema import Settings


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("windows-1251", "cp1251"),
        ("EUC-KR", "euc_kr"),
        ("latin1", "iso8859-1"),
        ("Shift-JIS", "shift_jis"),
        ("koi8-u", "koi8-u"),
        ("utf8", "utf-8"),
    ],
)
def test_an_encoding_has_many_names(name: str, encoding: str) -> None:
    assert Settings(encoding={"*": name}).encoding == {"*": encoding}


@pytest.mark.parametrize(
    "name", ["", "utf-16", "cp037", "hex", "rot13", "klingon", "a\0b", "utf-8-sig"]
)
def test_what_no_source_is_in_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="an encoding of text that contains ASCII"):
        Settings(encoding={"*": name})
