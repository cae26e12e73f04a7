import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from warm_start import LANG, run_mcode

from maxagent.cli.i18n.language_selection import select_language
from maxagent.config.errors import UsageError
from maxagent.config.settings.schema import Settings

LOCALE = {"LANG": "zh_CN.UTF-8"}


def asked(text: str, tmp_path: Path, configured: str = "", **environ: str) -> str:
    (tmp_path / "config.yaml").write_text(configured)
    return select_language(text.split(), environ, tmp_path, tmp_path)


@pytest.mark.parametrize(
    "words, environ, configured, language",
    [
        ("threads list", {}, "", "en"),
        ("threads list", LOCALE, "", "zh"),
        ("threads list", {"LC_ALL": "C"} | LOCALE, "", "en"),
        ("threads list", LOCALE, "language: en", "en"),
        ("threads list", {"LLC_LANG": "zh"}, "language: en", "zh"),
        ("threads list", {"MAXAGENT_LANG": "en", "LLC_LANG": "zh"}, "language: zh", "en"),
        ("threads list", {"MAXAGENT_LANG": "", "LLC_LANG": "zh"}, "", "zh"),
        ("--lang zh threads list", {"MAXAGENT_LANG": "en"}, "language: en", "zh"),
        ("--lang=en --help", LOCALE, "language: zh", "en"),
        ("--help --lang zh", {}, "", "zh"),
        ("--lang fr threads list", {"LLC_LANG": "zh"}, "", "zh"),
        ("task --lang zh", {}, "", "en"),
        ("--lang", {}, "", "en"),
    ],
)
def test_the_first_name_given_counts(
    words: str, environ: dict[str, str], configured: str, language: str, tmp_path: Path
) -> None:
    assert asked(words, tmp_path, configured, **environ) == language


@pytest.mark.parametrize("name", ["MAXAGENT_LANG", "LLC_LANG"])
@pytest.mark.parametrize("value", ["fr", "zh_CN", "ZH"])
def test_wrong_language_variable_error_lists_known_languages(
    name: str, value: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as error:
        asked("doctor", tmp_path, **{name: value})
    assert (f"{name}: unsupported language `{value}`", "set it to `en` or `zh`") == (
        error.value.message,
        error.value.hint,
    )


def test_the_schema_knows_the_same_languages() -> None:
    from maxagent.cli.options import Language
    from maxagent.config.settings.early_settings import LANGUAGES

    assert [item.value for item in Language] == list(LANGUAGES)
    for language in LANGUAGES:
        assert Settings(language=language).language == language  # pyright: ignore[reportArgumentType]


def mcode(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    saved = {"PATH": os.environ["PATH"], "MAXAGENT_HOME": str(folder / "home"), "LC_ALL": LANG}
    return run_mcode(arguments, folder, saved | environ)


def test_command_without_configuration_uses_selected_language(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text("language: zh\n")
    assert "还没有" in mcode(tmp_path, "threads", "list").stderr
    assert "No threads yet" in mcode(tmp_path, "--lang", "en", "threads", "list").stderr


def test_wrong_language_option_lists_known_languages(tmp_path: Path) -> None:
    by_flag = mcode(tmp_path, "--lang", "fr", "threads", "list")
    by_variable = mcode(tmp_path, "threads", "list", MAXAGENT_LANG="fr")
    assert (by_flag.returncode, by_variable.returncode) == (2, 2)
    assert "`fr` is not one of `en`, `zh`" in by_flag.stderr
    assert "hint: set it to `en` or `zh`" in by_variable.stderr


def test_people_read_chinese_and_programs_english(tmp_path: Path) -> None:
    call = ["permissions", "explain", "run_command", "git push"]
    assert "ask: `git push` 可能修改仓库" in mcode(tmp_path, "--lang", "zh", *call).stdout
    data = json.loads(mcode(tmp_path, "--lang", "zh", *call, "--json").stdout)
    assert data["reason"] == "`git push` can change the repository"


def test_errors_are_chinese_including_usage_errors(tmp_path: Path) -> None:
    unknown = mcode(tmp_path, "threads", "show", "abcd", MAXAGENT_LANG="zh")
    assert (unknown.returncode, unknown.stderr) == (
        2,
        "错误：没有会话 `abcd`\n提示：`mcode threads list --all` 可列出所有会话\n",
    )
    misspelled = mcode(tmp_path, "threads", "lst", MAXAGENT_LANG="zh")
    assert misspelled.returncode == 2
    assert "错误：没有命令 `lst`\n提示：您是想用 `list` 吗？" in misspelled.stderr


def test_commands_of_language_page_run_as_written(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "languages.md").read_text(encoding="utf-8")
    output = dict.fromkeys(re.findall(r"`mcode ([^`]+)`", page))
    ended = {line: mcode(tmp_path, *line.split()) for line in output}
    assert {line: item.returncode for line, item in ended.items()} == dict.fromkeys(output, 0)
    assert "还没有" in mcode(tmp_path, "threads", "list").stderr  # by `config set language zh`
