from pathlib import Path

import pytest

from maxagent.config.settings.ui_values import read_ui_values


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
    assert read_ui_values(tmp_path, {}) == values


def test_environment_wins_over_profile_over_file(tmp_path: Path) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "config.yaml").write_text("ui: {theme: dark, plain: true}\n")
    (tmp_path / "profiles/work.yaml").write_text("ui: {theme: light}\n")
    environ = {"MAXAGENT_PROFILE": "work"}
    assert read_ui_values(tmp_path, environ) == {"theme": "light", "plain": "true"}
    environ |= {"MAXAGENT_UI__THEME": "ansi", "LLC_UI__THEME": "dark"}
    assert read_ui_values(tmp_path, environ)["theme"] == "ansi"
