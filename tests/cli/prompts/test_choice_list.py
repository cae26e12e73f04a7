"""A question as a list, at a real terminal."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from screen import ScreenTerminal
from terminal import READY

SETUP = (
    "from maxagent.cli.prompts.choice import choose\n"
    "from maxagent.cli.prompts.choice_keys import Choice\n"
    "from maxagent.cli.rendering.console import open_console\n"
    "choices = [Choice('keep', 'Keep'), Choice('undo', 'Undo all', needs_enter=True),\n"
    "    Choice('edits', 'Keep all', shortcut='s-tab', letter=''), Choice('no', 'No')]\n"
)
ASKS = (
    f"{SETUP}"
    "while True:\n"
    "    try: reply = choose(open_console(), 'Keep it?', choices)\n"
    "    except (EOFError, KeyboardInterrupt) as left: print('left by', type(left).__name__)\n"
    "    else: print('got', reply.word, repr(reply.text))\n"
)
WORKS = (
    "import pathlib, time\n"
    "print('working')\n"
    "while not pathlib.Path('done').exists(): time.sleep(0.01)\n"
)


def open_terminal(folder: Path, code: str, **environ: str) -> ScreenTerminal:
    argv = [sys.executable, "-c", code]
    return ScreenTerminal(argv, folder, {**os.environ, "LANG": "C.UTF-8", **environ})


def is_ready(screen: str) -> bool:
    """Whether the last question has said that its keys count."""
    return READY in " ".join(screen.split())[-40:]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[ScreenTerminal]:
    with open_terminal(tmp_path, ASKS) as terminal:
        yield terminal


def test_lone_keys_and_arrows_answer(terminal: ScreenTerminal) -> None:
    keys = {"k": "keep", "K": "keep", "1": "keep", "\r": "keep", "\x1b[Z": "edits"}
    keys |= {"\x1b[B\x1b[B\r": "edits", "n": "no", "4": "no"}
    for at, (key, word) in enumerate(keys.items(), 1):
        terminal.wait_for(is_ready)
        terminal.type(key)
        terminal.wait_for(lambda _, at=at: terminal.scrollback().count(" ''") == at)
        assert terminal.scrollback().rpartition("got ")[2].startswith(f"{word} ''")


@pytest.mark.parametrize(
    ("keys", "is_hidden"),
    [("", True), ("\x1b[B", True), ("\x1b[A", True), ("no because", False), ("x\x7f", True)],
)
def test_cursor_stands_only_in_typed_text(
    terminal: ScreenTerminal, keys: str, is_hidden: bool
) -> None:
    terminal.wait_for(is_ready)
    terminal.type(keys)
    terminal.wait_for(lambda _: terminal.glass.cursor.hidden is is_hidden)


def test_weighty_choice_is_only_selected_by_its_letter(terminal: ScreenTerminal) -> None:
    terminal.wait_for(is_ready)
    terminal.type("u").wait_for(lambda screen: "❯ 2 Undo all" in screen and is_ready(screen))
    assert "got " not in terminal.screen()
    terminal.press("enter").wait_for("got undo")


@pytest.mark.parametrize("text", ["keep but use tabs", "undo? 不要，用单元测试"])
def test_words_are_the_no_and_its_reason(terminal: ScreenTerminal, text: str) -> None:
    terminal.wait_for(is_ready)
    terminal.type(text).wait_for(f"❯ 4 No: {text}")
    terminal.press("enter").wait_for(f"got no {text!r}")


def test_pasted_lines_are_text(terminal: ScreenTerminal) -> None:
    terminal.wait_for(is_ready)
    terminal.paste("k\nu").wait_for("No: k")
    terminal.press("enter").wait_for(r"got no 'k\nu'")


def test_esc_removes_text_then_leaves_the_question(terminal: ScreenTerminal) -> None:
    terminal.wait_for(is_ready)
    terminal.type("not this").wait_for("No: not this")
    terminal.press("esc")
    terminal.wait_for(lambda screen: is_ready(screen) and "not this" not in screen)
    terminal.press("esc").wait_for("left by KeyboardInterrupt")
    terminal.wait_for(is_ready)
    terminal.press("ctrl-d").wait_for("left by EOFError")


def test_what_was_typed_before_is_text(tmp_path: Path) -> None:
    with open_terminal(tmp_path, WORKS + ASKS) as terminal:
        terminal.wait_for("working")
        terminal.type("k\nuse ta").wait_for("use ta")
        (tmp_path / "done").touch()
        terminal.wait_for("Keep it?")
        terminal.type("bs").wait_for("No: k use tabs")
        terminal.wait_for("Enter answer with this text")
        terminal.press("enter").wait_for("got no 'k use tabs'")


@pytest.mark.parametrize("columns", [80, 40])
def test_list_fits_the_window_and_disappears(tmp_path: Path, columns: int) -> None:
    code = ASKS.replace("'Undo all'", "'Undo all changes that were made in this conversation'")
    with open_terminal(tmp_path, code) as terminal:
        terminal.resize(columns, 24)
        terminal.wait_for(is_ready)
        assert terminal.glass.wraps == 0
        terminal.type("because " * 12)
        terminal.wait_for(lambda screen: "".join(screen.split()).count("because") == 12)
        terminal.press("enter").wait_for("got no")
        assert "❯ 2" not in terminal.scrollback()
        assert "Keep it?\n  ❯ No: because" in terminal.scrollback()


@pytest.mark.parametrize("keys", ["\r", "k", "2", "\x1b[Z", "\x1b[B\r"])
def test_key_before_resumed_question_chooses_nothing(tmp_path: Path, keys: str) -> None:
    (tmp_path / "ask.py").write_text(ASKS)
    argv = ["bash", "--norc", "--noprofile", "-i"]
    environ = {**os.environ, "LANG": "C.UTF-8", "PS1": "shell: "}
    with ScreenTerminal(argv, tmp_path, environ) as terminal:
        terminal.wait_for("shell:")
        terminal.type(f"'{sys.executable}' ask.py\r")
        terminal.wait_for(is_ready)
        terminal.press("ctrl-z").wait_for("Stopped")
        terminal.type(f"fg\r{keys}").wait_for(is_ready)
        assert "got " not in terminal.scrollback()
        terminal.type("n").wait_for("got no ''")


HEADED = (
    "from maxagent.cli.prompts.choice import choose, hold_request\n"
    "from maxagent.cli.prompts.choice_keys import Choice\n"
    "from maxagent.cli.rendering.console import open_console\n"
    "console = open_console()\n"
    "def show():\n"
    "    for row in range(ROWS): console.print('row', row)\n"
    "    return True\n"
    "choices = [Choice('yes', 'Yes'), Choice('always', 'Always', is_rare=True),\n"
    "    *[Choice(word, word, is_rare=True) for word in ('edit', 'ask')], Choice('no', 'No')]\n"
    "head, _ = hold_request(console, show)\n"
    "reply = choose(console, 'Do it?', choices, request=head, unshown=('yes', 'no'))\n"
    "print('got', reply.word, head.is_kept)\n"
)


@pytest.mark.parametrize(
    ("rows", "keys", "end"),
    [
        (3, ["1"], "got yes False"),
        (3, ["n"], "got no False"),
        (3, ["m", "a"], "❯ Always\ngot always False"),
        (3, ["2", "5"], "got no False"),
        (3, ["use tabs\r"], "got no False"),
        (20, ["1"], "❯ Yes\ngot yes True"),
    ],
)
def test_answered_request_vanishes_if_it_fits(
    rows: int, keys: list[str], end: str, tmp_path: Path
) -> None:
    with open_terminal(tmp_path, HEADED.replace("ROWS", str(rows))) as terminal:
        terminal.resize(80, 24)
        for key in keys:
            terminal.wait_for(is_ready)
            assert "row 2" in terminal.scrollback() and terminal.scrollback().count("Do it?") == 1
            terminal.type(key).wait_for(lambda screen: not is_ready(screen))
        terminal.wait_for("got ")
        above = terminal.scrollback().strip()
        assert above.endswith(end) and ("row 2" in above) == (rows > 10)


def test_request_is_kept_where_the_window_shrinks(tmp_path: Path) -> None:
    with open_terminal(tmp_path, HEADED.replace("ROWS", "12")) as terminal:
        terminal.resize(80, 30)
        terminal.wait_for(is_ready)
        terminal.resize(80, 12)
        terminal.wait_for("Enter choose")
        terminal.wait_for(is_ready)
        terminal.type("1").wait_for("got yes True")
        assert "row 0" in terminal.scrollback() and "row 11" in terminal.scrollback()


@pytest.mark.parametrize(
    ("label", "escaped"),
    [
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("r\u200bm", "r\\u200bm"),
        ("\u3164", "\\u3164"),
        ("\u2028new line", "\\u2028new line"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("\x01\x1b]0;title\x07\x02", "\\x01\\x1b]0;title\\x07\\x02"),
    ],
)
def test_foreign_label_is_shown_escaped(tmp_path: Path, label: str, escaped: str) -> None:
    code = f"choices = [Choice('a', {label!a}, note={label!a}), Choice('no', {label!a})]\nwhile"
    with open_terminal(tmp_path, ASKS.replace("while", code, 1)) as terminal:
        terminal.wait_for(is_ready)
        assert terminal.screen().count(escaped) == 3
        assert label not in terminal.shown


PLAIN = [("one", False), ("more", False), ("no", False)]
MANY = [("one", False), ("two", False), ("three", True), ("four", True), ("no", False)]


@pytest.mark.parametrize(
    ("offered", "keys", "word"),
    [
        (PLAIN, ["2"], "more"),
        (PLAIN[1:], ["1"], "more"),
        ([("more", False), ("less", False), ("most", False), ("no", False)], ["1"], "more"),
        ([*PLAIN[:2], ("x", False), ("y", False), ("z", False)], ["2"], "more"),
        (MANY, ["1"], "one"),
        (MANY, ["3", "3"], "three"),
        (MANY, ["3", "5"], "no"),
    ],
)
def test_only_folded_choices_are_asked_again(
    tmp_path: Path, offered: list[tuple[str, bool]], keys: list[str], word: str
) -> None:
    choices = f"[Choice(word, word, letter='', is_rare=rare) for word, rare in {offered}]"
    code = f"{SETUP}print('got', choose(open_console(), 'Which?', {choices}).word, 'once')\n"
    with open_terminal(tmp_path, code) as terminal:
        for at, key in enumerate(keys):
            terminal.wait_for(lambda screen, at=at: is_ready(screen) and at == ("5 no" in screen))
            terminal.type(key)
        terminal.wait_for(f"got {word} once")
