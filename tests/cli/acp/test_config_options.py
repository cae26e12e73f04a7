"""What an editor is shown is what holds."""

from pathlib import Path

import pytest

from maxagent.cli.acp.config_options import Choices, build_options
from maxagent.nodes.options import Options


@pytest.mark.parametrize(
    ("settings", "options", "effort", "thinking"),
    [
        ("{}", {}, "auto", "auto"),
        ("model: {effort: high}", {}, "high", "auto"),
        ("model: {thinking_strategy: disabled}", {}, "auto", "disabled"),
        ("model: {effort: max, thinking_strategy: enabled}", {}, "max", "enabled"),
        ("model: {effort: high}", {"effort": "low"}, "low", "auto"),
        ("model: {effort: high}", {"effort": "auto"}, "auto", "auto"),
    ],
)
def test_levels_of_the_settings_are_shown(
    tmp_path: Path, settings: str, options: Options, effort: str, thinking: str
) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    folder.mkdir()
    (home / "config.yaml").write_text(settings)
    rows = build_options(options, Choices(folder, home, {}), 1)
    current = {row["id"]: row["currentValue"] for row in rows}
    assert (current["effort"], current["thinking"]) == (effort, thinking)
