import pytest

from maxagent.cli.asked_change import as_it_says, changed
from maxagent.config.errors import UsageError

EDIT = {"name": "edit", "args": {"file_path": "x"}, "diff": "+x", "always": "edit(x)"}


def left(monkeypatch, tmp_path, text):
    (tmp_path / "left").write_text(text)
    monkeypatch.setenv("VISUAL", f"cp {tmp_path / 'left'}")


def test_arguments_are_changed_as_json_and_the_old_diff_goes(monkeypatch, tmp_path):
    left(monkeypatch, tmp_path, '{"file_path": "y"}')
    assert changed(EDIT) == {"name": "edit", "args": {"file_path": "y"}, "changed": True}


def test_what_was_not_changed_is_the_same_request(monkeypatch):
    monkeypatch.setenv("VISUAL", "true")
    assert changed(EDIT) is EDIT


@pytest.mark.parametrize("text", ["{", "[]", "3", ""])
def test_what_is_no_object_is_refused(monkeypatch, tmp_path, text):
    left(monkeypatch, tmp_path, text)
    with pytest.raises(UsageError, match="arguments"):
        changed(EDIT)


PAIRS = [{"old_string": "a", "new_string": "b"}, {"old_string": "c\n", "new_string": ""}]
SAID = [
    ({"old_string": "a", "new_string": "b"}, "@@\n-a\n+b\n"),
    ({"old_string": "a", "new_string": "b", "replace_all": True}, "@@ replace_all @@\n-a\n+b\n"),
    ({"edits": PAIRS}, "@@\n-a\n+b\n@@\n-c\n"),
]


@pytest.mark.parametrize(("args", "hunks"), SAID)
def test_what_an_edit_says_is_a_diff_without_numbers(args, hunks):
    request = {"name": "edit", "args": {"file_path": "x", **args}, "diff": "+other"}
    assert as_it_says(request)["diff"] == f"--- a/x\n+++ b/x\n{hunks}"


@pytest.mark.parametrize("name", ["edit", "write_file"])
def test_what_names_no_change_has_no_diff(name):
    assert as_it_says({"name": name, "args": {"file_path": "x"}, "diff": "+x"}) == {
        "name": name,
        "args": {"file_path": "x"},
    }
