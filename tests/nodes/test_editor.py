import pytest

from maxagent.config.agents.registry import load_built_in_agents
from maxagent.config.errors import UsageError
from maxagent.nodes.editor import format_request


def test_editor_request_lists_files_and_marks_new_ones(tmp_path):
    (tmp_path / "a.py").touch()
    options = {"files": ["a.py", "b.py"]}
    request = format_request({"request": "Tidy", "folder": str(tmp_path), "options": options})
    assert request == "Tidy\n\nThe files that you may change: `a.py`, `b.py` (there is none yet)"


def test_without_named_files_it_does_not_begin(tmp_path):
    with pytest.raises(UsageError, match="no file given"):
        format_request({"request": "Tidy", "folder": str(tmp_path), "options": {}})


def test_the_editor_runs_nothing():
    assert "run_command" not in load_built_in_agents()["editor"].allowed_tools
