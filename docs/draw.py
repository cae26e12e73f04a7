"""Draw the graphs into docs/graph.md, as LangGraph itself sees them."""

from pathlib import Path

from maxagent.graphs import chat, edit, task

PAGE = Path(__file__).with_name("graph.md")
ABOUT = "Drawn by `make docs`. Solid: the main line; dashed: tools, returns, errors, what is asked."
TITLES = {"task": "`mcode task`", "edit": "`mcode edit`", "chat": "`mcode chat`"}


def page() -> str:
    """The page as it should be."""
    parts = [f"# The graphs\n\n{ABOUT}\n"]
    for graph in (task.graph, edit.graph, chat.graph):
        drawing = graph.get_graph().draw_mermaid(with_styles=False).strip()
        parts.append(f"## {TITLES[graph.name]}\n\n```mermaid\n{drawing}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"drawn: {PAGE}")
