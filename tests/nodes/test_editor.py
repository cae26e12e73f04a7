import pytest

from maxagent.config.agents.registry import built_in
from maxagent.config.errors import UsageError
from maxagent.nodes.editor import opened


def test_the_editor_is_told_the_files_and_which_are_new(tmp_path):
    (tmp_path / "a.py").touch()
    options = {"files": ["a.py", "b.py"]}
    words = opened({"request": "Tidy", "folder": str(tmp_path), "options": options})
    assert words == "Tidy\n\nThe files that you may change: `a.py`, `b.py` (there is none yet)"


def test_without_named_files_it_does_not_begin(tmp_path):
    with pytest.raises(UsageError, match="no file given"):
        opened({"request": "Tidy", "folder": str(tmp_path), "options": {}})


def test_the_editor_runs_nothing():
    assert "run_command" not in built_in()["editor"].tools
