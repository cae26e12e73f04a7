"""Draw the graph of `mcode task` into docs/graph.md, as LangGraph itself sees it."""

from pathlib import Path

from maxagent.graphs.task import graph

PAGE = Path(__file__).with_name("graph.md")


def page() -> str:
    """The page as it should be."""
    drawing = graph.get_graph().draw_mermaid(with_styles=False).strip()
    return f"# The graph of a task\n\nDrawn by `make docs`.\n\n```mermaid\n{drawing}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"drawn: {PAGE}")
