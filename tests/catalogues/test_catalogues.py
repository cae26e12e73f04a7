"""The compiled catalogues are those of the texts, and the texts those of the source."""

import gettext
from pathlib import Path

import pytest
from catalogue_files import LOCALE, compiled, every, path_of, read, written
from make_locale import text_of, up_to_date

EVERY = pytest.mark.parametrize("language, domain", [*every()])


@EVERY
def test_a_catalogue_is_sorted_and_compiled(language: str, domain: str) -> None:
    file = path_of(language, domain)
    messages = read(file)
    assert file.read_text(encoding="utf-8") == text_of(language, domain, messages), (
        "run `make locale`"
    )
    compiled_form = file.with_suffix(".mo").read_bytes()
    assert compiled_form == compiled(messages, language), "run `make locale`"


@EVERY
def test_gettext_reads_what_we_compile(language: str, domain: str) -> None:
    found = gettext.translation(domain, LOCALE, [language])
    messages = read(path_of(language, domain))
    assert messages and {key: found.gettext(key) for key in messages} == messages


@EVERY
def test_a_catalogue_has_what_the_source_says_and_nothing_else(language: str, domain: str) -> None:
    messages = read(path_of(language, domain))
    assert messages == up_to_date(domain, messages), "run `make locale`"


@EVERY
def test_nothing_waits_for_a_translation(language: str, domain: str) -> None:
    messages = read(path_of(language, domain))
    assert [key for key, text in messages.items() if not text.strip()] == []


def test_texts_come_back_as_they_were(tmp_path: Path) -> None:
    odd = {"a": 'quoted "x"\\n', "b\nc": "\ttab\n\n行", "d {{}}": "{e}", "none": ""}
    file = tmp_path / "odd.po"
    file.write_text(
        f'# a remark\n#, fuzzy\n{written(odd, "zh")}\n#~ msgid "old"\n', encoding="utf-8"
    )
    assert read(file) == odd
