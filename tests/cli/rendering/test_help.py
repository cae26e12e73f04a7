import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from maxagent.cli.app import app
from maxagent.cli.i18n.catalogs import translate_english, use_language
from maxagent.cli.rendering import help as help_pages
from maxagent.cli.rendering.help import TYPER_TEXTS, install_help_pages, unwrap_paragraphs
from maxagent.cli.rendering.text_width import measure_width

CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def chinese() -> Iterator[None]:
    use_language("zh")
    yield
    use_language("")


def commands(command, arguments: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    yield arguments, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*arguments, name))


def page(*arguments: str) -> str:
    command = get_command(app)
    install_help_pages(command)
    context = command.make_context("mcode", [*arguments], resilient_parsing=True)
    for word in arguments:
        command = command.commands[word]
        context = command.make_context(word, [], parent=context, resilient_parsing=True)
    return context.get_help()


def help_texts() -> Iterator[str]:
    for _, command in commands(get_command(app)):
        yield from filter(None, [command.help, command.epilog])
        yield from filter(None, [getattr(param, "help", None) for param in command.params])


def test_every_help_text_has_a_chinese_translation() -> None:
    texts = [*map(unwrap_paragraphs, help_texts()), *TYPER_TEXTS]
    assert [text for text in texts if not CHINESE.search(translate_english("help", text))] == []


@pytest.mark.parametrize("columns", [40, 80])
def test_every_page_is_chinese_and_fits_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    tree = get_command(app)
    for text, command in commands(tree):
        page_text = page(*text)
        heads = {"用法：mcode", "选项："}
        if hasattr(command, "commands"):
            heads |= {"命令："} if text else {"工作：", "会话：", "工具：", "设置："}
        assert all(head in page_text for head in heads), page_text
        wide = [row for row in page_text.splitlines() if measure_width(row) > columns]
        assert [row for row in wide if CHINESE.search(row)] == [], page_text


def test_names_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page_text = page("task")
    assert page_text.startswith(
        "用法：mcode task [OPTIONS] DESCRIPTION\n\n  计划一项修改，完成它，并用测试验证。"
    )
    assert "-m, --model <str>" in page_text
    assert "项目文件夹；默认：当前文件夹。  [默认：.]" in page_text
    assert "description <str>" in page_text and "[必填]" in page_text


def test_texts_of_two_columns_stand_below_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    entries = page().partition("工作：\n")[2]
    rows = [row for row in entries.splitlines() if row.startswith("  ")]
    places = {len(row) - len(row[15:].lstrip()) for row in rows}
    assert places == {15}


def test_translated_page_does_not_change_the_other_language(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "maxagent", "--lang", "zh", "threads", "--help"],
        capture_output=True, text=True, encoding="utf-8", cwd=tmp_path,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout.splitlines()[0]) == (
        0,
        "用法：python -m maxagent threads [OPTIONS] COMMAND [ARGS]...",
    )
    english = CliRunner().invoke(app, ["--help"]).stdout
    assert "Usage:" in english and not CHINESE.search(english)


def test_english_help_loads_no_catalogue(tmp_path: Path) -> None:
    code = (
        "import sys; from maxagent.cli.app import main; sys.argv[1:] = ['--help']\n"
        "try: main()\n"
        "finally:\n"
        "    from maxagent.cli.i18n import catalogs as i18n\n"
        "    print(i18n.load_catalog.cache_info().currsize)"
    )
    environ = {"LC_ALL": "C.UTF-8", "MAXAGENT_HOME": str(tmp_path / "nowhere")}
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environ
    )
    assert ended.stdout.splitlines()[-1] == "0"


def test_a_default_and_a_must_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    help_page = help_pages.HelpPage()
    with help_page.section("Options"):
        help_page.write_dl(
            [("--a", "甲  [default: x; y; required]"), ("--b", "[required]"), ("--c", "")]
        )
    assert help_page.getvalue() == "选项：\n  --a  甲  [默认：x; y; 必填]\n  --b  [必填]\n  --c\n"


@pytest.mark.parametrize("columns", [40, 80])
def test_english_summaries_are_whole_and_rows_fit(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_language("en")
    monkeypatch.setenv("COLUMNS", str(columns))
    for text, _ in commands(get_command(app)):
        page_text = page(*text)
        assert "..." not in page_text.partition("\n\n")[2].replace("[ARGS]...", "")
        assert [
            row
            for row in page_text.splitlines()
            if measure_width(row) > columns and " " in row[40:]
        ] == []
