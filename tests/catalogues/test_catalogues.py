"""The compiled catalogues are those of the texts, and the texts those of the source."""

import gettext
import re
from pathlib import Path

import pytest
from catalogue_files import LOCALE, compiled, every, path_of, read, written
from make_locale import text_of, up_to_date
from message_keys import keys_in
from translatable_texts import (
    ROOT,
    messages_without_template,
    sentences,
    sentences_in,
    templates_in,
)
from untranslated_texts import SILENT, SPEAKING

ASCII = ("set it, or", "请设置它，或写成 `${", "{file}:1：")
"""What shows a program's own spelling, with its marks."""
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
    result = gettext.translation(domain, LOCALE, [language])
    messages = read(path_of(language, domain))
    assert messages and {key: result.gettext(key) for key in messages} == messages


@EVERY
def test_a_catalogue_has_what_the_source_says(language: str, domain: str) -> None:
    messages = read(path_of(language, domain))
    required = up_to_date(domain, messages)
    assert [text for text in required if not messages.get(text, "").strip()] == [], "`make locale`"


@pytest.mark.parametrize(
    "never",
    [
        "规划",
        "(?<!主)目录",
        "线程(?!中使用 `SyncRunner`)",
        "提供商",
        "你",
        r"[\u4e00-\u9fff}][,:;] ?[\u4e00-\u9fff{]",
    ],
)
def test_chinese_uses_one_term_and_full_width_marks(never: str) -> None:
    """One word for one thing: `docs/languages.md`."""
    odd = [
        text
        for language, domain in every()
        for text in read(path_of(language, domain)).values()
        if language == "zh" and re.search(never, text)
    ]
    assert [text for text in odd if not text.startswith(ASCII)] == []


def test_a_message_with_values_keeps_its_template() -> None:
    assert messages_without_template() == [], "write `text(…)`: `docs/languages.md`"


def test_every_key_is_used_somewhere() -> None:
    output = keys_in((ROOT / "cli").rglob("*.py"))
    keys = [key for key in read(path_of("en", "mcode")) if not key.startswith("web.")]
    # those of the page: `tests/cli/web/test_page_files.py`
    unsaid = [key for key in keys if not output.fullmatch(key)]
    assert [key for key in unsaid if not output.fullmatch(key.removesuffix(".one"))] == []


def test_every_pattern_of_translated_sources_matches_a_file() -> None:
    assert [pattern for pattern in (*SPEAKING, *SILENT) if not any(ROOT.glob(pattern))] == []


def test_every_text_for_people_is_collected() -> None:
    existing, missing = sentences(), dict[str, set[str]]()
    for path in (path for floor in ("tools", "nodes") for path in (ROOT / floor).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "text(" in source and (texts := templates_in(source) - existing):
            missing[str(path.relative_to(ROOT))] = texts
    assert missing == {}, "name the file in SPEAKING: tests/catalogues/untranslated_texts.py"


@pytest.mark.parametrize(
    "source, sentences",
    [
        (
            'raise E(f"no thread `{row.name[:8]}`", hint="look at it")',
            ["look at it", "no thread `{name}`"],
        ),
        ('X = "it is {count:,} of {what}"', ["it is {count} of {what}"]),
        ('x = "only these: they are " + ", ".join(names)', ["only these: they are {names}"]),
        ('f(f"a line like {{}} of {n}, and {n} more")', ["a line like {{}} of {n}, and {n2} more"]),
        ("f(\"a line such as {'a': 1}\")", ["a line such as {{'a': 1}}"]),
        ('"""A docstring of it."""', []),
        ('t("some key of it"); "one two".split(); Option(help="what it is")', []),
        ('f("SELECT what FROM it is"); f("dict[str, object]"); f("bold red")', []),
    ],
)
def test_sentences_are_found_in_the_source(source: str, sentences: list[str]) -> None:
    assert sorted(sentences_in(source)) == sentences


def test_texts_come_back_as_they_were(tmp_path: Path) -> None:
    odd = {"a": 'quoted "x"\\n', "b\nc": "\ttab\n\n行", "d {{}}": "{e}", "none": ""}
    file = tmp_path / "odd.po"
    file.write_text(
        f'# a remark\n#, fuzzy\n{written(odd, "zh")}\n#~ msgid "old"\n', encoding="utf-8"
    )
    assert read(file) == odd
