"""The list of tasks above the prompt, opened and closed in a real terminal."""

from pathlib import Path
from typing import Any

import pytest
from chat_window import ChatWindow
from provider import Provider


def plan(*states: str) -> dict[str, Any]:
    rows = [
        {"id": str(number), "content": f"Step {number}", "status": state}
        for number, state in enumerate(states, 1)
    ]
    return {"tool_calls": [{"name": "todowrite", "args": {"todos": rows}}]}


@pytest.mark.parametrize("columns", [80, 40])
def test_ctrl_t_opens_and_closes_list(tmp_path: Path, provider: Provider, columns: int) -> None:
    window = ChatWindow(tmp_path, provider, "en")
    window.answers(
        plan("completed", "in_progress", "pending"),
        {"text": "Not yet."},  # the model is asked once for what is left
        {"text": "Two are left."},
        plan("completed", "completed", "in_progress"),
        {"text": "Not quite."},
        {"text": "One is left."},
        plan("completed", "completed", "completed"),
        {"text": "All is done."},
    )
    with window.open(columns=columns):
        window.press("ctrl-t").see(window.words("slash.todos.none"))
        window.say("plan it", until="Two are left.")
        window.see("1/3 · Step 2 · Ctrl-T")
        window.press("ctrl-t").see("Ctrl-T steps\n  ☒ Step 1\n  ▸ Step 2\n  ☐ Step 3\n─")
        window.say("go on", until="One is left.")
        window.see("2/3 · Step 3 · Ctrl-T steps\n  ☒ Step 1\n  ☒ Step 2\n  ▸ Step 3\n─")
        window.press("ctrl-t").see("2/3 · Step 3 · Ctrl-T steps\n─")
        window.press("ctrl-t").see("Ctrl-T steps\n  ☒ Step 1")
        window.say("and end", until="All is done.")
        window.see("3/3 done · Ctrl-T steps\n  ☒ Step 1\n  ☒ Step 2\n  ☒ Step 3\n─")
        before = window.count("☒ Step 3")
        window.press("ctrl-t")
        window.terminal.wait_for(lambda _: window.count("☒ Step 3") == before - 1)
        assert "3/3 done · Ctrl-T" not in window.rest()
