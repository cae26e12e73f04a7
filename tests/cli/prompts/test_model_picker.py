"""The picker of models, in a real terminal."""

import os
import sys
from pathlib import Path

import pytest
from screen import ScreenTerminal

from maxagent.cli.prompts.model_picker import build_cells, build_heads, rank_models
from maxagent.cli.prompts.picker import SHOWN, PickerState
from maxagent.config.settings.schema import Settings
from maxagent.models.listing import list_models

PICK = (
    "from maxagent.cli.prompts.model_picker import pick_model\n"
    "from maxagent.config.settings.schema import Settings\n"
    "from maxagent.models.listing import list_models\n"
    "print('picked', pick_model(list_models(Settings(), {'OPENAI_API_KEY': 'k'}, 'openai')))\n"
)
LISTINGS = list_models(Settings(), {"OPENAI_API_KEY": "k"}, "openai")


@pytest.mark.parametrize(
    ("typed", "first"),
    [("", "openai/gpt-4o"), ("4.1 mini", "openai/gpt-4.1-mini"), ("gpt-6-sul", "openai/gpt-6-sol")],
)
def test_typed_text_finds_models(typed: str, first: str) -> None:
    assert rank_models(LISTINGS, typed)[0].model.name == first


def test_narrow_cells_keep_name_and_price() -> None:
    assert build_cells(LISTINGS[:1], 40) == [["*", "openai/gpt-4o", "$2.5 / $10"]]
    assert build_cells(LISTINGS[:1], 80)[0][2:] == ["128k", "$2.5 / $10", "recommended · images"]


@pytest.mark.parametrize(
    ("columns", "heads"),
    [
        (120, "model context $/1M tokens in / out"),
        (80, "model context $/1M tokens in / out"),
        (64 + 4, "model context $/1M tokens in / out"),
        (60, "model $/1M tokens in / out"),
        (20, "model"),
    ],
)
def test_heads_name_columns_and_units(columns: int, heads: str) -> None:
    state = PickerState(LISTINGS, rank_models, build_cells, build_heads)
    assert " ".join(state.render_head(columns).split()) == heads
    assert len(state.render_lines(columns)) == min(SHOWN, len(LISTINGS))


@pytest.mark.parametrize("columns", [80, 40])
def test_model_is_picked_in_a_terminal(tmp_path: Path, columns: int) -> None:
    environ = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    argv = [sys.executable, "-c", PICK]
    with ScreenTerminal(argv, tmp_path, environ, columns=columns) as screen_terminal:
        screen_terminal.wait_for(lambda screen: "gpt-4o" in screen and "$2.5 / $10" in screen)
        screen_terminal.type("4.1-nano").wait_for(lambda screen: "gpt-4o" not in screen)
        screen_terminal.press("enter")
        screen_terminal.wait_for("picked openai/gpt-4.1-nano")
        assert screen_terminal.end() == 0
