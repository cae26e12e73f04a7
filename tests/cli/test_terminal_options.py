import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxagent.cli import terminal_options
from maxagent.cli.rendering.theme import DARK, get_theme, use_theme
from maxagent.cli.terminal_options import (
    build_program_environ,
    read_terminal_options,
    read_values,
    wants_notifications,
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("TERM", "xterm-256color")
    yield tmp_path
    terminal_options._terminal_type.clear()
    read_terminal_options(tmp_path / "none")
    use_theme("auto")


def test_plain_is_a_dumb_terminal_for_us_alone(home: Path) -> None:
    read_terminal_options(home)
    assert os.environ["TERM"] == "xterm-256color" and wants_notifications()
    (home / "config.yaml").write_text("ui:\n  plain: true\n  notifications: false\n")
    read_terminal_options(home)
    read_terminal_options(home)
    assert os.environ["TERM"] == "dumb" and not wants_notifications()
    assert build_program_environ()["TERM"] == "xterm-256color"


def test_theme_is_that_of_the_settings(home: Path) -> None:
    (home / "config.yaml").write_text("ui: {theme: dark}\n")
    read_terminal_options(home)
    get_theme.cache_clear()
    assert get_theme() is DARK


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("ui:\n  theme: dark\n", {"theme": "dark"}),
        (
            "ui:\r\n\r\n  # mine\r\n  #plain: x\r\n  plain: 'true' # y\r\nlog: {}\n",
            {"plain": "true"},
        ),
        ("log:\n  x: y\nui: {theme: light, plain: true}\n", {"theme": "light", "plain": "true"}),
        ("model:\n  ui:\n    theme: dark\n", {}),
        ("ui:\n  plain: true", {"plain": "true"}),
        ("ui:\nmodel:\n  theme: x\n", {}),
    ],
)
def test_values_below_ui_are_read(tmp_path: Path, text: str, values: dict[str, str]) -> None:
    (tmp_path / "config.yaml").write_bytes(text.encode())
    assert read_values("ui", tmp_path, {}) == values


def test_environment_wins_over_profile_over_file(tmp_path: Path) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "config.yaml").write_text("ui: {theme: dark, plain: true}\n")
    (tmp_path / "profiles/work.yaml").write_text("ui: {theme: light}\n")
    environ = {"MAXAGENT_PROFILE": "work"}
    assert read_values("ui", tmp_path, environ) == {"theme": "light", "plain": "true"}
    environ |= {"MAXAGENT_UI__THEME": "ansi", "LLC_UI__THEME": "dark"}
    assert read_values("ui", tmp_path, environ)["theme"] == "ansi"
