import runpy
from pathlib import Path

DRAW = Path(__file__).parents[2] / "docs/draw.py"


def test_the_drawn_graph_is_the_one_that_runs():
    page = runpy.run_path(str(DRAW))["page"]()
    assert DRAW.with_name("graph.md").read_text(encoding="utf-8") == page, "run `make docs`"
