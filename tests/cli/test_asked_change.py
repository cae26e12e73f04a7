import pytest

from maxagent.cli.asked_change import changed
from maxagent.config.errors import UsageError

EDIT = {"name": "edit", "args": {"file_path": "x"}, "diff": "+x", "always": "edit(x)"}


def left(monkeypatch, tmp_path, text):
    (tmp_path / "left").write_text(text)
    monkeypatch.setenv("VISUAL", f"cp {tmp_path / 'left'}")


def test_arguments_are_changed_as_json_and_the_old_diff_goes(monkeypatch, tmp_path):
    left(monkeypatch, tmp_path, '{"file_path": "y"}')
    assert changed(EDIT) == {"name": "edit", "args": {"file_path": "y"}}


def test_what_was_not_changed_is_the_same_request(monkeypatch):
    monkeypatch.setenv("VISUAL", "true")
    assert changed(EDIT) is EDIT


@pytest.mark.parametrize("text", ["{", "[]", "3", ""])
def test_what_is_no_object_is_refused(monkeypatch, tmp_path, text):
    left(monkeypatch, tmp_path, text)
    with pytest.raises(UsageError, match="arguments"):
        changed(EDIT)
