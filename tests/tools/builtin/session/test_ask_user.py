from pathlib import Path

from maxagent.tools.builtin.session.ask_user import ask_user
from maxagent.tools.definition import get_effect
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


async def test_without_a_human_the_question_is_refused(tmp_path: Path) -> None:
    run = ToolRun(Workspace(tmp_path), "c", tmp_path)
    result = await invoke(ask_user, {"question": "Which?", "options": ["a", "b"]}, run)
    assert result.error.startswith("nobody is here to answer")
    assert get_effect(ask_user) == "talk"
