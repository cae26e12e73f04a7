import pytest

from maxagent.cli.prompts.edit_tool_call import classify_content, edit_call, with_own_diff
from maxagent.config.errors import UsageError

EDIT = {"name": "edit", "args": {"file_path": "x"}, "diff": "+x", "always": "edit(x)"}


def left(monkeypatch, tmp_path, text):
    (tmp_path / "left").write_text(text)
    monkeypatch.setenv("VISUAL", f"cp {tmp_path / 'left'}")


def test_arguments_edited_as_json_drop_old_diff(monkeypatch, tmp_path):
    left(monkeypatch, tmp_path, '{"file_path": "y"}')
    assert edit_call(EDIT) == {"name": "edit", "args": {"file_path": "y"}, "changed": True}


def test_what_was_not_changed_is_the_same_request(monkeypatch):
    monkeypatch.setenv("VISUAL", "true")
    assert edit_call(EDIT) is EDIT


@pytest.mark.parametrize("text", ["{", "[]", "3", ""])
def test_what_is_no_object_is_refused(monkeypatch, tmp_path, text):
    left(monkeypatch, tmp_path, text)
    with pytest.raises(UsageError, match="arguments") as error_info:
        edit_call(EDIT)
    assert "press `e` to open it again" in error_info.value.hint


WRITES = [
    ({"path": "a.py", "content": "x\n"}, "content", "y\n", "y\n", ".py"),
    ({"path": "a", "content": "x"}, "content", "y\n", "y", ".txt"),
    ({"path": "a.b c", "content": "x"}, "content", "y\n\n", "y\n", ".txt"),
    ({"file_path": "a.md", "old_string": "w", "new_string": "x"}, "new_string", "y\n", "y", ".md"),
]


@pytest.mark.parametrize(("args", "name", "typed", "text", "suffix"), WRITES)
def test_file_content_is_edited_as_plain_text(
    monkeypatch, tmp_path, args, name, typed, text, suffix
):
    left(monkeypatch, tmp_path, typed)
    request = {"name": "edit" if "new_string" in args else "write_file", "args": args}
    assert edit_call(request)["args"] == {**args, name: text}
    opened = tmp_path / "opened"
    monkeypatch.setenv("VISUAL", f"sh -c 'echo $0 > {opened}'")
    assert edit_call(request) is request and opened.read_text().strip().endswith(suffix)


@pytest.mark.parametrize("args", [{"edits": [{}]}, {"edits": [{}], "new_string": "x"}, {}])
def test_edit_with_several_replacements_opens_as_json(args):
    assert classify_content({"name": "edit", "args": args}) == "json"


PAIRS = [{"old_string": "a", "new_string": "b"}, {"old_string": "c\n", "new_string": ""}]
SAID = [
    ({"old_string": "a", "new_string": "b"}, "@@\n-a\n+b\n"),
    ({"old_string": "a", "new_string": "b", "replace_all": True}, "@@ replace_all @@\n-a\n+b\n"),
    ({"edits": PAIRS}, "@@\n-a\n+b\n@@\n-c\n"),
]


@pytest.mark.parametrize(("args", "hunks"), SAID)
def test_edit_diff_has_no_line_numbers(args, hunks):
    request = {"name": "edit", "args": {"file_path": "x", **args}, "diff": "+other"}
    assert with_own_diff(request)["diff"] == f"--- a/x\n+++ b/x\n{hunks}"


@pytest.mark.parametrize("name", ["edit", "write_file"])
def test_what_names_no_change_has_no_diff(name):
    assert with_own_diff({"name": name, "args": {"file_path": "x"}, "diff": "+x"}) == {
        "name": name,
        "args": {"file_path": "x"},
    }
