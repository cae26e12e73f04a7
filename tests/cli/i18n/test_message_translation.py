import re
from collections.abc import Iterator
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as some

from maxagent.cli.i18n.catalogs import load_catalog, use_language
from maxagent.cli.i18n.message_translation import translate, translate_notice
from maxagent.config.text import join_texts, text

CHINESE = re.compile("[\u3000-\u9fff\uff00-\uffef]")


@pytest.fixture(autouse=True)
def chinese() -> Iterator[None]:
    use_language("zh")
    yield
    use_language("")


def messages() -> dict[str, str]:
    return dict(load_catalog("messages", "zh").list_messages())


def names(template: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(template) if name is not None]


@pytest.mark.parametrize(
    "message, meaning",
    [
        ("", ""),
        ("the request is empty", "请求为空"),
        ("Never said by anybody", "Never said by anybody"),
        ("no thread `x`", "no thread `x`"),
        (text("no thread `{content}`", content="a{b}c"), "没有会话 `a{b}c`"),
        (text("no thread `{content}`", content="it asks the user"), "没有会话 `it asks the user`"),
        (text("never said of {name}", name="it asks the user"), "never said of 会询问用户"),
        (
            text("{first}: {rest}", first="it runs a program", rest=text("it runs `{x}`", x="y")),
            "会运行程序：it runs `y`",
        ),
        (join_texts("; ", ["it asks the user", "it writes the plan"]), "会询问用户；会写入计划"),
        (join_texts("\n", ["it asks the user", "x"]), "会询问用户\nx"),
    ],
)
def test_a_message_is_translated_by_its_template(message: str, meaning: str) -> None:
    assert translate(message) == meaning


def test_a_notice_names_kinds_of_files_in_chinese() -> None:
    files = "these project files are ignored: {files}"
    notice = text(files, files="`AGENTS.md` (instructions)")
    assert translate_notice(notice).endswith("`AGENTS.md`（指令文件）")


def test_in_english_a_message_stays_as_it_is() -> None:
    use_language("en")
    message = text("no thread `{content}`", content="x")
    assert translate(message) is message


def test_every_translation_keeps_the_same_values() -> None:
    for template, meaning in messages().items():
        assert CHINESE.search(meaning)
        assert sorted(names(meaning)) == sorted(names(template))


@given(some.text(max_size=60), some.sampled_from(sorted(messages())))
def test_any_value_comes_through(value: str, template: str) -> None:
    message = text(template, **dict.fromkeys(names(template), value))
    quoted = set(re.findall(r"`\{(\w+)\}`", template))
    assert not quoted or value in translate(message)
