"""Errors of typer are two lines in the voice of all others."""

import pytest
from typer.testing import CliRunner

from maxagent.cli.app import COMMAND_GROUPS, app, main
from maxagent.cli.i18n.catalogs import use_language

TASK_USAGE = "usage: `mcode task [OPTIONS] DESCRIPTION`; `mcode task -h` explains them"
THREADS_HINT = "`mcode threads -h` lists all commands"


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str) -> str:
    monkeypatch.setattr("sys.argv", ["mcode", *line.split()])
    monkeypatch.setattr("__main__.__package__", None)  # else its name is `python -m pytest`
    with pytest.raises(SystemExit, match="^2$"):
        main()
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("frobnicate", "no such command `frobnicate`", "`mcode -h` lists all commands"),
        ("taks x", "no such command `taks`", "did you mean `task`? `mcode -h` lists all"),
        ("threads nope", "no such command `nope`", THREADS_HINT),
        ("threads --all", "no such option `--all`", THREADS_HINT),
        ("task", "missing argument `description`", TASK_USAGE),
        (
            "task --thinkin",
            "no such option `--thinkin`",
            "did you mean `--thinking`? `mcode task -h` lists all",
        ),
        (
            "task x --thinking y",
            "invalid value for `--thinking`: `y` is not one of `auto`, `enabled`, `disabled`",
            TASK_USAGE,
        ),
        ("task x y z", "got unexpected extra argument(s) (y z)", TASK_USAGE),
    ],
)
def test_wrong_use_is_two_lines(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    line: str,
    message: str,
    hint: str,
) -> None:
    assert run(monkeypatch, capsys, line) == f"error: {message}\nhint: {hint}\n"


def test_an_option_without_value_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = run(monkeypatch, capsys, "task --thinking")
    assert error.startswith("error: option `--thinking` requires an argument\n")


def test_a_group_without_command_shows_its_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, capsys, "threads").startswith("Usage: mcode threads ")


def test_wrong_use_in_chinese(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MAXAGENT_LANG", "zh")
    error = run(monkeypatch, capsys, "--lang zh threads nope")
    use_language("en")
    assert error == "错误：没有命令 `nope`\n提示：`mcode threads -h` 列出所有命令\n"


def test_the_help_lists_commands_in_groups() -> None:
    page = CliRunner().invoke(app, ["--help"]).stdout
    positions = [page.index(f"\n{heading}:\n") for heading in COMMAND_GROUPS]
    assert positions == sorted(positions)
    assert all(f"\n  {name} " in page for group in COMMAND_GROUPS.values() for name in group)
