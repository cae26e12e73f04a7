import ast
import string
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from maxagent.cli.i18n import catalogs
from maxagent.cli.i18n.catalogs import (
    MessageCatalog,
    detect_language,
    load_catalog,
    t,
    translate_english,
    use_language,
)

CLI = Path(catalogs.__file__).parents[1]
LANGUAGES = ["en", "zh"]


@pytest.fixture(autouse=True)
def forget_language() -> Iterator[None]:
    yield
    use_language("")


def placeholders(text: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def messages(language: str) -> Mapping[str, str]:
    return load_catalog("mcode", language).list_messages()


def test_both_catalogues_have_the_same_keys_and_placeholders() -> None:
    english, chinese = messages("en"), messages("zh")
    assert set(english) == set(chinese)
    assert {k: placeholders(v) for k, v in english.items()} == {
        k: placeholders(v) for k, v in chinese.items()
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_have_no_leading_or_trailing_blanks(language: str) -> None:
    assert [key for key, text in messages(language).items() if text != text.strip()] == []


def keys_in(path: Path) -> Iterator[str]:
    """The keys of a module's `t(…)` calls; of an f-string, its fixed beginning."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "t":
            yield from texts_of(node.args[0])


def texts_of(node: ast.expr) -> Iterator[str]:
    """What an expression can be, of an f-string its fixed beginning; a condition is none of it."""
    if isinstance(node, ast.IfExp):
        yield from texts_of(node.body)
        yield from texts_of(node.orelse)
    elif isinstance(node, ast.JoinedStr):
        yield from texts_of(node.values[0])
    elif isinstance(node, ast.Constant):
        yield str(node.value)


@pytest.mark.parametrize("path", sorted(CLI.rglob("*.py")), ids=lambda path: path.stem)
def test_every_key_in_code_has_a_message(path: Path) -> None:
    existing = messages("en")
    for key in keys_in(path):
        assert key in existing or (
            key.endswith(".") and any(name.startswith(key) for name in existing)
        )


@pytest.mark.parametrize(
    "environ, language",
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_CN", "LANG": "en_US"}, "zh"),
        ({"LLC_LANG": "zh", "LC_ALL": "en_US"}, "zh"),
        ({"MAXAGENT_LANG": "en", "LLC_LANG": "zh"}, "en"),
    ],
)
def test_the_environment_chooses_the_language(environ: dict[str, str], language: str) -> None:
    assert detect_language(environ) == language


def test_chosen_language_wins_and_can_be_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAXAGENT_LANG", "en")
    use_language("zh")
    assert t("doctor.key", source="X") == "密钥来自 X"
    use_language("")
    assert t("doctor.key", source="X") == "key from X"


def test_a_missing_translation_is_english(monkeypatch: pytest.MonkeyPatch) -> None:
    class Half(MessageCatalog):
        def gettext(self, message: str) -> str:
            return message if message == "doctor.no_key" else super().gettext(message)

    catalog = load_catalog("mcode", "zh")
    monkeypatch.setattr(catalog, "__class__", Half)
    use_language("zh")
    assert (t("doctor.no_key"), t("doctor.defaults")) == ("no key needed", "仅使用默认值")


def test_english_text_without_translation_is_unchanged() -> None:
    use_language("zh")
    assert [
        translate_english("help", text)
        for text in ("Do not ask for confirmation.", "Never said", "")
    ] == [
        "不要求确认。",
        "Never said",
        "",
    ]
