import pytest

from maxagent.cli.rendering.approval_request import show_request
from maxagent.cli.rendering.console import open_console


@pytest.mark.parametrize(
    ("command", "fits"),
    [
        ("x", True),
        ("x" * 36 * 7, True),
        ("x" * 36 * 12, False),
        ("字" * 18 * 7, True),
        ("字" * 18 * 12, False),
        ("\u200b" * 100, False),
        ("\n" * 20, False),
    ],
)
def test_request_reports_whether_it_fits_the_screen(monkeypatch, command, fits):
    monkeypatch.setenv("LINES", "22")
    monkeypatch.setenv("COLUMNS", "40")
    request = {"name": "run_command", "args": {"command": command}, "description": "why"}
    assert show_request(open_console(), request) is fits


def test_question_shows_whole_call_and_its_sandbox(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    text = "first\n" + "long " * 40 + "\n\tlast"
    request = {"name": "edit", "args": {"file_path": "a.py", "new": text}, "description": "why"}
    show_request(open_console(), request)
    err = capsys.readouterr().err
    assert " ".join(err.replace("│", " ").split()) == (
        "Edit a file file: a.py new: first " + "long " * 40 + "\\tlast why"
    )
    for name in ("run_command", "run_tests"):
        tests = {"name": name, "args": {"command": "make"}, "sandbox": "bubblewrap"}
        show_request(open_console(), tests)
        assert "  $ make\n  sandbox: bubblewrap\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "args", "row"),
    [
        (
            "run_command",
            {"command": "npm run build && rm -rf src"},
            "$ npm run build && rm",
        ),
        ("run_command", {"command": "make", "background": True}, "background: true"),
        ("run_tests", {"command": "make check"}, "  $ make check"),
        ("mcp_db_drop", {"table": "users"}, "table: users"),
        ("webfetch", {"url": "https://example.org/x"}, "url: https://example.org/x"),
        ("a_new_tool", {"path": "x"}, "path: x"),
    ],
)
def test_diff_of_a_script_hides_no_argument(capsys, name, args, row):
    diff = "--- package.json\n+++ package.json\n-build: tsc\n+build: evil\n"
    show_request(open_console(), {"name": name, "args": args, "description": "why", "diff": diff})
    err = capsys.readouterr().err
    assert row in err and "build: evil" in err


@pytest.mark.parametrize("diff", ["+[secret: private key]", "+x\n[… 9 more lines]\n"])
def test_incomplete_diff_is_shown_with_the_call(capsys, diff):
    request = {"name": "apply_patch", "args": {"patch": "+all of it"}, "description": "why"}
    show_request(open_console(), {**request, "diff": "+all of it"})
    assert "  patch: " not in capsys.readouterr().err
    show_request(open_console(), {**request, "diff": diff})
    assert "  patch: +all of it" in capsys.readouterr().err


def test_a_dearer_model_is_shown_with_both_prices(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "200")
    change = {
        "from": "glm/glm-4.6",
        "to": "xai/grok-4.7",
        "reason": "no quota",
        "price_before": {"input": 0.6, "output": 2.2, "cached": 0.11},
        "price_after": None,
    }
    show_request(open_console(), {"name": "change_model", "args": change, "description": "why"})
    assert capsys.readouterr().err.splitlines()[2] == (
        "  no quota; continuing with xai/grok-4.7 (price unknown) instead of glm/glm-4.6 "
        "($0.6 in, $2.2 out per million tokens)"
    )
