from dataclasses import replace

import pytest

from maxagent.cli.i18n.catalogs import use_language
from maxagent.cli.rendering.text_renderer import TextRenderer
from maxagent.nodes.outcome import GREEN_NO_VERDICT
from maxagent.sdk import events as ev

EVIDENCE = {"command": "pytest", "reason": "3 passed"}


def shown(capsys, *events):
    renderer = TextRenderer()
    for event in events:
        renderer.show_event(event)
    renderer.show_end(events[-1])
    return capsys.readouterr()


def test_result_goes_to_stdout_and_rest_to_stderr(capsys):
    out = shown(
        capsys,
        ev.RunStarted("abcdef123456", "repair it", "/p", "m", "edits", False),
        ev.Output("thinking aloud"),
        ev.Completion("abcdef123456", "verified", "It is repaired.", EVIDENCE, [], "+new\n"),
    )
    assert out.out == "It is repaired.\n"
    for name in ("abcdef12", "repair it", "thinking aloud", "+new", "verified", "3 passed"):
        assert name in out.err


def test_run_resumed_after_local_answer_prints_no_header(capsys):
    run_started = ev.RunStarted("abcdef123456", "repair it", "/p", "m", "ask", False)
    goes_on = replace(run_started, resumed=True)
    assert shown(capsys, run_started, goes_on, goes_on).err.count("repair it") == 1
    assert shown(capsys, run_started, replace(goes_on, mode="auto")).err.count("repair it") == 2
    assert shown(capsys, goes_on).err.count("repair it") == 1


def test_a_wait_for_the_provider_is_reported_once(capsys):
    waits = (ev.Progress("wait", done=done, total=259_200) for done in (0, 30, 60))
    assert shown(capsys, *waits).err.count("waiting for the provider, 3 d 0 h left") == 1


def test_streamed_text_shares_line_and_next_event_breaks(capsys):
    out = shown(capsys, ev.Output("one "), ev.Output("two"), ev.Notice("careful"))
    assert out.err.splitlines()[:1] == ["one two"]
    assert "careful" in out.err.splitlines()[1]


def test_two_answers_stand_on_their_own_lines(capsys):
    used = ev.TokenUsage(1, 2, 1, 0, 0.0, 2, 100)
    out = shown(capsys, ev.Output("Done."), used, ev.Output("Done."), used)
    assert out.err.splitlines()[:2] == ["Done.", "Done."]


def test_start_of_child_is_shown_once(capsys):
    run_started = ev.RunStarted("abcdef123456", "repair it", "/p", "m", "ask", False)
    child = ev.SubagentStarted("general-1", "general", "Look")
    other = replace(run_started, thread_id="fedcba654321")
    goes_on = replace(run_started, resumed=True)
    assert shown(capsys, run_started, child, goes_on, child).err.count("general-1 works") == 1
    assert shown(capsys, run_started, child, other, child).err.count("general-1 works") == 2


def test_piped_run_has_no_escapes_and_no_wrapping(capsys):
    long = "x" * 300
    out = shown(capsys, ev.RoleStarted("coder"), ev.Output(long + "\n"), ev.Notice("n"))
    assert "\x1b" not in out.err and long in out.err


def test_message_sent_meanwhile_has_own_lines(capsys):
    out = shown(capsys, ev.Output("one"), ev.Steered("s", "use tabs,\nno\x1bt spaces"))
    assert out.err.splitlines() == ["one", "", "› use tabs,", "no\\x1bt spaces"]


def test_mentioned_files_and_unknown_names_get_own_lines(capsys):
    mentioned = ev.Mentioned(["a.py", "b.py"], ["no\x1b.txt", "x" * 5000])
    first, second = shown(capsys, mentioned).err.splitlines()
    assert first == "attached: @a.py, @b.py"
    assert second.startswith("@no\\x1b.txt, @xxx") and len(second) < 200


def test_a_compaction_is_reported_with_its_tokens(capsys):
    finished = ev.CompactionFinished("chat", "limit", 17_000, 4_200, 3, "bridge", "Earlier: …")
    out = shown(capsys, ev.CompactionStarted("chat", "limit", 17_000, 16_000), finished)
    assert out.err.splitlines() == [
        "Compacting the conversation: 17,000 tokens, the limit is 16,000 …",
        "Compacted: 17,000 → 4,200 tokens, with a list of what was done. The thread keeps every "
        "message.",
        "Shortened older results and arguments: 3",
        "      Earlier: …",
    ]


def test_control_characters_of_the_model_are_made_visible(capsys):
    out = shown(capsys, ev.Output("a\x1b[2Jb\u202ec\n"), ev.Notice("n"))
    assert "a\\x1b[2Jb\\u202ec" in out.err


def test_tool_call_shows_one_line_and_its_diff(capsys):
    out = shown(
        capsys,
        ev.ToolCall("c1", "edit", {"file_path": "a.py"}, "coder"),
        ev.ToolResult(
            "c1", "edit", True, "", "", {"diff": "-old\n+new\n", "added": 1, "removed": 1}
        ),
    )
    assert "✓ edit a.py  (+1 -1)" in out.err and "    +new" in out.err


@pytest.mark.parametrize(
    "metadata", [{"backup": "/kept/a.py"}, {"backups": {"a.py": "/kept/a.py", "b.py": "/kept/b"}}]
)
def test_where_a_file_was_kept_is_reported(capsys, metadata):
    err = shown(capsys, ev.ToolResult("c1", "edit", True, "", "", metadata)).err
    assert err.count("backup: ") == len(metadata.get("backups", "1"))
    assert "backup: /kept/a.py" in err


@pytest.mark.parametrize(
    ("files", "text"),
    [([{"path": "a.py", "kind": "modified"}], "does not run tests"), ([], "no changes")],
)
def test_an_edit_ends_in_its_own_words(capsys, files, text):
    end = ev.Completion("abcdef123456", "unverified", "Done.", None, files, "", "edit")
    assert text in shown(capsys, end).err


def test_a_parked_edit_shows_its_diff(capsys):
    request = {"name": "edit", "args": {"file_path": "a.py"}, "diff": "-old\n+new\n"}
    err = shown(capsys, ev.Question("abcdef123456", "i", "approval", [request], [])).err
    assert "waiting for an answer: edit a.py\n  -old\n  +new\n" in err


def test_a_parked_command_is_shown_whole(capsys):
    args = {"command": "cat <<E\n" + "x" * 200 + "\nE\nrm -r build"}
    request = {"name": "run_command", "args": args, "sandbox": "bubblewrap"}
    err = shown(capsys, ev.Question("abcdef123456", "i", "approval", [request], [])).err
    assert f"  │ {'x' * 200}\n  │ E\n  │ rm -r build\n  sandbox: bubblewrap\n" in err


@pytest.mark.parametrize("kind", ["approval", "pull_request"])
def test_parked_question_gives_its_reason(capsys, kind):
    request = {
        "name": "run_command",
        "args": {"command": "make"},
        "description": "it runs a program",
    }
    err = shown(capsys, ev.Question("abcdef123456", "i", kind, [request], [])).err
    assert "Approval is needed: it runs a program.\n" in err


def test_parked_question_of_model_appears_once(capsys):
    request = {"name": "ask_user", "args": {"question": "Which?"}, "description": "Which?"}
    err = shown(capsys, ev.Question("abcdef123456", "i", "approval", [request], [])).err
    assert "Approval is needed" not in err


def test_answered_call_is_no_success(capsys):
    result = ev.ToolResult(
        "c1", "run_command", True, "yes", "", {"answered": True}, {"command": "make"}
    )
    err = shown(capsys, result).err
    assert "✗ run_command make\n    not run; you answered: yes\n" in err and "✓" not in err


def test_unannounced_call_is_shown_by_its_result(capsys):
    result = ev.ToolResult("c1", "run_command", True, "", "", {}, {"command": "make"})
    assert "✓ run_command make" in shown(capsys, result).err


@pytest.mark.parametrize("expected", [True, False])
def test_thinking_is_shown_only_where_it_is_wanted(capsys, expected):
    renderer = TextRenderer(show_thinking=expected)
    renderer.show_event(ev.Thinking("let me see"))
    assert ("let me see" in capsys.readouterr().err) is expected


def test_the_todo_list_is_shown(capsys):
    items = [{"content": "look", "status": "completed"}, {"content": "mend", "status": "pending"}]
    out = shown(capsys, ev.Todos(items))
    assert "[x] look" in out.err and "[ ] mend" in out.err


def test_skipped_tests_are_reported_in_words(capsys):
    end = ev.Completion("t", "unverified", "", None, [], "")
    assert "unverified: tests were skipped" in shown(capsys, end).err


def test_green_tests_without_verdict_say_what_to_do(capsys):
    end = ev.Completion("t", "failed", "", EVIDENCE, [], "", reason=GREEN_NO_VERDICT)
    (line,) = (line for line in shown(capsys, end).err.splitlines() if "failed: " in line)
    assert "gave no verdict" in line and "`mcode diff`" in line and "3 passed" in line


def test_a_refused_call_says_why(capsys):
    refused = ev.ToolResult("c1", "edit", False, "", "not found\ntry again", {})
    out = shown(capsys, ev.ToolCall("c1", "edit", {"file_path": "a.py"}, "coder"), refused)
    assert "✗ edit a.py" in out.err and "not found" in out.err


@pytest.mark.parametrize("last", [ev.Interrupted("abcdef123456"), None])
def test_an_interrupted_run_says_how_to_go_on(capsys, last):
    renderer = TextRenderer()
    renderer.show_event(ev.RunStarted("abcdef123456", "t", "/p", "m", "edits", False))
    renderer.show_end(last)
    assert "mcode resume abcdef12" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("allowed", "options"),
    [
        (["approve", "reject", "respond"], "`--approve`, `--reject WHY` or `--answer TEXT`"),
        (["approve", "reject"], "`--approve` or `--reject WHY`"),
    ],
)
def test_a_question_says_how_to_answer_it(capsys, allowed, options):
    request = {"name": "run_command", "args": {"command": "make"}, "description": ""}
    config = {"allowed_decisions": allowed}
    out = shown(capsys, ev.Question("abcdef123456", "i", "approval", [request], [config]))
    assert "run_command make" in out.err
    assert f"`mcode resume abcdef12 --question i` and {options}\n" in out.err.replace("\n  ", " ")


REVIEWED = {"allowed_decisions": ["approve", "reject", "respond"]}


def test_review_shows_changes_and_explains_each_answer(capsys):
    review = {"name": "review", "args": {"outcome": "verified", "diff": "+new\n"}}
    out = shown(capsys, ev.Question("abcdef123456", "i", "review", [review], [REVIEWED]))
    assert "+new" in out.err and "`--reject WHY` undoes them" in out.err


def test_question_is_shown_only_when_left_open(capsys):
    request = {"name": "run_command", "args": {"command": "make"}, "description": ""}
    TextRenderer().show_event(ev.Question("abcdef123456", "i", "approval", [request], [{}]))
    assert capsys.readouterr().err == ""


def test_what_was_undone_is_not_praised_on_stdout(capsys):
    out = shown(capsys, ev.Completion("abcdef123456", "undone", "It is repaired.", None, [], ""))
    assert out.out == "" and "undone" in out.err


def test_failed_tests_show_end_of_their_output(capsys):
    head = "".join(f"line {number}\n" for number in range(50))
    red = ev.EvidenceFound(
        "pytest", "failed", "1 failed", 1, 0, 1, 0, 0, "", f"{head}E assert 1 == 2\n"
    )
    out = shown(capsys, ev.ToolOutput("verify", f"{head}E assert 1 == 2\n"), red)
    assert out.err.index("E assert 1 == 2") < out.err.index("1 failed")


def test_a_failure_is_two_lines_and_the_thread(capsys):
    out = shown(capsys, ev.Failure("no answer", "try later", 1, "abcdef123456"))
    assert out.err.splitlines()[:2] == ["error: no answer", "hint: try later"]
    assert "abcdef12" in out.err


def test_tokens_and_cost_end_the_run(capsys):
    result = dict(input=12_000, output=300, cached=9_000, cost=0.0123)
    usage = ev.TokenUsage(2, 12_000, 300, 9_000, 0.0123, 6_000, 128_000, result)
    out = shown(capsys, usage, ev.Interrupted("t"))
    for text in ("12,000", "75%", "300", "$0.0123"):
        assert text in out.err


HUNK = "@@ -1 +1 @@\n-old\n+new\n"
FINAL = f"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n{HUNK}"


def edited(path: str) -> ev.ToolResult:
    metadata = {"diff": f"--- a/{path}\n+++ b/{path}\n{HUNK}"}
    return ev.ToolResult("c", "edit", True, "", "", metadata)


def test_the_end_repeats_no_shown_diff(capsys):
    done = ev.Completion("t", "verified", "", EVIDENCE, [], FINAL)
    review = ev.Question("t", "i", "review", [{"name": "review", "args": {"diff": FINAL}}], [{}])
    for before in (edited("x"), review):
        assert shown(capsys, before, done).err.count("+new") == 1
    assert shown(capsys, done).err.count("+new") == 1


def test_a_plan_is_shown_when_it_is_proposed(capsys):
    planning = ev.ModeChanged("plan", "plan", ".llc/plans/a.md")
    assert "+new" not in shown(capsys, planning, edited(".llc/plans/a.md"), ev.Notice("n")).err
    assert "+new" in shown(capsys, planning, edited("b.md"), ev.Notice("n")).err


@pytest.mark.parametrize("outcome", ["refused", "asked"])
@pytest.mark.parametrize(
    ("reason", "translated"),
    [
        ("it could not be run: No such file", "无法运行：No such file"),
        ("`a.sh` changed since you trusted it, so it does not run; review it with `mcode trust`, "
         "or `/trust` in a conversation", "已变动"),
        ("its own words", "its own words"),
    ],
)  # fmt: skip
def test_a_reason_is_in_the_users_language(capsys, outcome, reason, translated):
    use_language("zh")
    try:
        event = ev.HookFinished(
            event="before_tool", command="./check.sh", outcome=outcome, reason=reason
        )
        assert translated in shown(capsys, event).err
    finally:
        use_language("")
