"""`mcode init`: an agent looks at the project and writes its AGENTS.md, asked as any change."""

from pathlib import Path


def request(words: str = "") -> str:
    """What the agent is asked; `words` are the user's own wishes."""
    asked = Path(__file__).with_name("init.md").read_text(encoding="utf-8").strip()
    return f"{asked}\n\nThe user adds: {words}" if words else asked
