import io
from dataclasses import replace

import pytest

from maxagent.cli.prompts.interrupts import ask_question, ask_questions
from maxagent.sdk.events import Question

from .test_choice_list import is_ready, open_terminal

COMMAND = {
    "name": "run_command",
    "args": {"command": "make \x1b[2Jall"},
    "description": "a command",
}
REVIEW = {"name": "review", "args": {"outcome": "verified", "diff": "+new\n"}, "description": ""}
WHICH = {"name": "ask_user", "args": {"question": "Which?", "options": ["red", "blue"]}}
ATTEMPTS = ["attempt 1: thread aa, 2 lines; green", "attempt 3: thread cc", "none of them"]
ATTEMPT = {"name": "choose_attempt", "args": {"question": "Which one?", "options": ATTEMPTS}}
ANY = ["approve", "edit", "reject", "respond"]


def question(*requests):
    allowed = {"ask_user": ["respond"], "choose_attempt": ["respond"]}
    configs = [
        {"action_name": request["name"], "allowed_decisions": allowed.get(request["name"], ANY)}
        for request in requests
    ]
    return Question("t", "i", "approval", list(requests), configs)


@pytest.mark.parametrize(
    ("requests", "typed", "decisions"),
    [
        ([COMMAND], "yes\n", [{"type": "approve"}]),
        ([COMMAND], "y\ntoo slow\n", [{"type": "reject", "message": "too slow"}]),
        ([COMMAND, COMMAND], "yes\n", [{"type": "approve"}] * 2),
        ([COMMAND, COMMAND], "later\n", [{"type": "reject", "message": "later"}] * 2),
        (
            [COMMAND, COMMAND],
            "one\nyes\nno\n",
            [{"type": "approve"}, {"type": "reject", "message": ""}],
        ),
        (
            [COMMAND, WHICH],
            "yes\n1\n",
            [{"type": "approve"}, {"type": "respond", "message": "red"}],
        ),
        ([WHICH], "2\n", [{"type": "respond", "message": "blue"}]),
        ([WHICH], "3\n", [{"type": "respond", "message": "3"}]),
        ([WHICH], "green\n", [{"type": "respond", "message": "green"}]),
        ([ATTEMPT], "1\n", [{"type": "respond", "message": ATTEMPTS[0]}]),
        ([ATTEMPT], "2\n", [{"type": "respond", "message": ATTEMPTS[1]}]),
        ([ATTEMPT], "3\n", [{"type": "respond", "message": "none of them"}]),
        ([ATTEMPT], "attempt 3\n", [{"type": "respond", "message": "attempt 3"}]),
        ([ATTEMPT], "perhaps the first\n", [{"type": "respond", "message": "perhaps the first"}]),
        ([REVIEW], "keep\n", [{"type": "approve"}]),
        ([REVIEW], "k\nKEEP\n", [{"type": "approve"}]),
        (
            [{**COMMAND, "always": "run_command(make:*)"}],
            "thread\n",
            [{"type": "approve", "for_thread": True}],
        ),
        ([{**COMMAND, "always": "edit(/a.py)"}], "edits\n", [{"type": "approve", "mode": "edits"}]),
        ([COMMAND], "yes but use tabs\n", [{"type": "reject", "message": "yes but use tabs"}]),
        ([REVIEW], "undo\n", [{"type": "reject"}]),
        ([REVIEW], "shorter\n", [{"type": "respond", "message": "shorter"}]),
        ([REVIEW], "remark\nkeep\n", [{"type": "approve"}]),
    ],
)
def test_what_the_human_types_becomes_one_decision_each(monkeypatch, requests, typed, decisions):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    answer = ask_question(question(*requests))
    assert answer is not None and list(answer.decisions) == decisions


def test_ctrl_d_leaves_the_question_open(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert ask_question(question(COMMAND)) is None


def test_command_is_shown_whole_with_visible_control_characters(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    ask_question(question(COMMAND))
    err = capsys.readouterr().err
    assert "make \\x1b[2Jall" in err and "\x1b[2J" not in err


def test_an_edit_is_shown_as_its_diff(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-old\x1b[2J\n+new\n"
    args = {"file_path": "x.py", "old_string": "old", "new_string": "new"}
    ask_question(
        question({"name": "edit", "args": args, "description": "it changes files", "diff": diff})
    )
    err = capsys.readouterr().err
    assert "Edit a file\n" in err and "it changes files" not in err and "old_string" not in err
    assert "  -old\\x1b[2J\n  +new\n" in err


def test_edit_with_truncated_diff_shows_all_arguments(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    args = {"file_path": "x.py", "content": "first\nlast"}
    diff = "--- a/x.py\n+++ b/x.py\n+first\n[… 7 more lines]\n"
    ask_question(question({"name": "write_file", "args": args, "description": "w", "diff": diff}))
    err = capsys.readouterr().err
    assert "  content:\n  │ first\n  │ last\n" in err and "  [… 7 more lines]\n" in err


def test_an_answer_names_the_question_that_was_read(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    answer = ask_question(question(COMMAND))
    assert answer is not None and answer.question == "i"


def asked(monkeypatch, capsys, typed, **request):
    """What is shown for a request, and the decision on it."""
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    texts = {"name": "run_command", "args": {"command": "make"}, "description": "why", **request}
    answer = ask_question(question(texts))
    assert answer is not None
    return capsys.readouterr().err, answer.decisions[0]


def test_multiline_command_is_shown_with_its_folder(monkeypatch, capsys):
    command = f"echo '{'x' * 300}'\n\trm a\r\nrun_command: harmless\nAllow this? [y/n] y"
    output, _ = asked(monkeypatch, capsys, "yes\n", args={"command": command, "cwd": "sub"})
    assert "x" * 300 in output
    assert "\n  │ \\trm a\\r\n" in output
    assert "\n  │ run_command: harmless\n  │ Allow this? [y/n] y\n" in output
    assert "  folder: sub\n  why\n  sandbox: none; it runs with all your permissions\n" in output


@pytest.mark.parametrize(
    ("args", "sandbox", "text"),
    [
        ({}, "bubblewrap, no network", "  $ make\n  why\n  sandbox: bubblewrap, no network\n"),
        (
            {"outside_sandbox": True},
            "bubblewrap",
            "sandbox: not used; it runs with all your permissions",
        ),
        ({"timeout": 5}, "", "  timeout: 5\n"),
    ],
)
def test_all_arguments_and_the_sandbox_are_shown(monkeypatch, capsys, args, sandbox, text):
    request = {"args": {"command": "make", **args}, "sandbox": sandbox}
    assert text in asked(monkeypatch, capsys, "yes\n", **request)[0]


def test_the_whole_diff_of_an_edit_is_shown(monkeypatch, capsys):
    diff = "--- a/x\n+++ b/x\n@@ -0,0 +1,900 @@\n" + "".join(f"+{n}\n" for n in range(900))
    output, _ = asked(monkeypatch, capsys, "yes\n", name="edit", args={"path": "x"}, diff=diff)
    assert "+899\n" in output and "more" not in output


ALWAYS = {"always": "run_command(npm test:*)"}


@pytest.fixture
def user_file(monkeypatch, tmp_path):
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path))
    monkeypatch.setenv("LINES", "40")
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path / "config.yaml"


def test_remember_key_allows_rule_in_project(monkeypatch, capsys, user_file):
    user_file.write_text("# mine\nlanguage: en\n")
    output, decision = asked(monkeypatch, capsys, "always\n", **ALWAYS)
    assert decision == {"type": "approve", **ALWAYS}
    assert "Yes, and don't ask again in this project: npm test …" in output
    assert user_file.read_text() == "# mine\nlanguage: en\n"  # the node keeps it


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {**ALWAYS, "args": {"command": "x" * 80 * 36}},
        {**ALWAYS, "args": {"command": "\n" * 36}},
        {**ALWAYS, "name": "edit", "diff": "+x\n" * 36},
    ],
)
def test_suggested_rule_not_offered_beyond_screen_height(monkeypatch, capsys, user_file, request_):
    output, decision = asked(monkeypatch, capsys, "yes\n", **request_)
    assert (decision, "again in this project" in output) == ({"type": "approve"}, False)
    assert ("only this one call can be" in output) == bool(request_)
    assert not user_file.exists()


def edits_with(monkeypatch, tmp_path, text):
    """An editor that leaves this text."""
    (tmp_path / "left").write_text(text)
    monkeypatch.setenv("VISUAL", f"cp {tmp_path / 'left'}")


def test_command_edited_in_editor_is_shown_and_allowed(monkeypatch, capsys, tmp_path):
    edits_with(monkeypatch, tmp_path, "make test\n")
    output, decision = asked(monkeypatch, capsys, "edit\nyes\n", **ALWAYS)
    action = {"name": "run_command", "args": {"command": "make test"}}
    assert output.count("again in this project") == 1  # not for the call that the user changed
    assert decision == {"type": "edit", "edited_action": action}
    assert "$ make test\n" in output


def test_call_unchanged_in_editor_is_allowed_as_is(monkeypatch, capsys):
    monkeypatch.setenv("VISUAL", "true")
    assert asked(monkeypatch, capsys, "edit\nyes\n")[1] == {"type": "approve"}


@pytest.mark.parametrize("editor", ["false", "no-such-editor", "'"])
def test_an_editor_that_fails_changes_nothing(monkeypatch, capsys, editor):
    monkeypatch.setenv("VISUAL", editor)
    output, decision = asked(monkeypatch, capsys, "edit\nno\n")
    assert decision["type"] == "reject" and "editor" in output


def test_question_beyond_screen_height_repeats_its_call(monkeypatch, capsys, user_file):
    args = {"path": "src/new.py", "content": "x\n" * 60}
    output, _ = asked(
        monkeypatch, capsys, "yes\n", name="write_file", args=args, always="edit(/src)"
    )
    assert "\nwrite_file src/new.py: allow this?\n  1 Yes\n" in output
    assert "This does not fit on one screen" in output


def edit_of(old, new, diff):
    args = {"file_path": "x.py", "old_string": old, "new_string": new}
    return {"name": "edit", "args": args, "description": "it changes files", "diff": diff}


def test_several_at_once_are_named_and_explained(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    ask_question(question(COMMAND, edit_of("a", "b", "-a\n+b\n")))
    err = capsys.readouterr().err
    assert "Allow all 2 (run_command make \\x1b[2Jall, edit x.py)?\n" in err
    assert "  2 Ask for each one\n" in err


@pytest.mark.parametrize(("first", "is_shown"), [("yes", True), ("no", False)])
def test_diff_after_refusal_omits_the_refused_change(monkeypatch, capsys, first, is_shown):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"one\n{first}\nyes\n"))
    second = edit_of("old", "new", "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n first\n-old\n+new\n")
    answer = ask_question(question(edit_of("1", "first", "-1\n+first\n"), second))
    output = capsys.readouterr().err.rpartition("Edit a file\n")[2]
    assert ("   first\n" in output) == is_shown and "  -old\n  +new\n" in output
    assert answer is not None and answer.decisions[1] == {"type": "approve"}


def test_changed_edit_is_shown_with_new_diff(monkeypatch, capsys, tmp_path):
    edits_with(monkeypatch, tmp_path, "c\n")
    edit = {**edit_of("a", "b", "-a\n+b\n")}
    output, _ = asked(monkeypatch, capsys, "edit\nyes\n", **edit)
    assert "  --- a/x.py\n  +++ b/x.py\n  @@\n  -a\n  +c\n" in output and "old_string" not in output


def test_each_child_is_asked_under_its_name(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    asked = [
        replace(question(COMMAND), id=agent, agent=agent, position=at, count=2)
        for at, agent in enumerate(("explore-1", "shell-1"), 1)
    ]
    answers = ask_questions(asked)
    assert [answer.question for answer in answers] == ["explore-1"]  # the second is left open
    err = capsys.readouterr().err
    assert "explore-1 asks (1 of 2)" in err and "shell-1 asks (2 of 2)" in err


def command(text):
    return {"name": "run_command", "args": {"command": text}, "description": "why"}


TWO_COMMANDS = [command("make first"), command("make last")]
TALL = command("echo first\n" + "echo more\n" * 30 + "echo last")
LONG = command("echo first" + " more" * 300 + " last")
EDITS = [edit_of("a", "first", "-a\n+first\n"), edit_of("b", "last", "-b\n+last\n")]


@pytest.mark.parametrize(
    ("requests", "rows", "is_kept"),
    [
        (TWO_COMMANDS, 40, False),
        ([command("first"), command("next"), command("last")], 60, False),
        (EDITS, 50, False),
        ([EDITS[0], TWO_COMMANDS[1]], 50, False),
        (TWO_COMMANDS, 16, True),
        (EDITS, 16, True),
        ([TALL, TWO_COMMANDS[1]], 30, True),
        ([TWO_COMMANDS[0], LONG], 24, True),
    ],
)
def test_several_calls_vanish_with_their_answer(tmp_path, requests, rows, is_kept):
    code = (
        "from maxagent.cli.prompts.interrupts import ask_question\n"
        "from maxagent.sdk.events import Question\n"
        f"allowed = [{{'allowed_decisions': {ANY}}}] * {len(requests)}\n"
        f"answer = ask_question(Question('t', 'i', 'approval', {requests}, allowed))\n"
        "print('got', [decision['type'] for decision in answer.decisions])\n"
    )
    with open_terminal(tmp_path, code) as terminal:
        terminal.resize(80, rows)
        terminal.wait_for(is_ready)
        assert "first" in terminal.scrollback() and "last" in terminal.scrollback()
        terminal.type("y").wait_for("got ['approve'")
        shown = terminal.scrollback().partition("got [")[0]
        assert ("first" in shown, "last" in shown) == (is_kept, is_kept)
