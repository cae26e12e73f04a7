import io
import os
import sys
from pathlib import Path

import pytest
from screen import ScreenTerminal

from maxagent.cli.prompts.key_input import read_key
from maxagent.cli.rendering.console import open_console

KEYS = {"yes": "do it", "no": "leave it"}


def answered(monkeypatch, typed):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return read_key(open_console(), "Sure?", KEYS, why="It matters.")


@pytest.mark.parametrize(
    ("typed", "word"), [("y\n", "yes"), (" YES \n", "yes"), ("n\n", "no"), ("yesno\nn\n", "no")]
)
def test_key_or_its_whole_word_answers(monkeypatch, typed, word):
    assert answered(monkeypatch, typed) == word


@pytest.mark.parametrize("typed", ["", "x", "always", "nothing"])
def test_anything_else_says_which_keys_there_are(monkeypatch, capsys, typed):
    assert answered(monkeypatch, f"{typed}\ny\n") == "yes"
    assert capsys.readouterr().err == ("Sure? [y/n/?] Press y, n or ?.\nSure? [y/n/?] ")


def test_question_mark_explains_keys_and_exit(monkeypatch, capsys):
    answered(monkeypatch, "?\nn\n")
    assert "It matters.\n  y: do it\n  n: leave it\n  Esc, Ctrl-D: exit" in capsys.readouterr().err


def test_the_end_of_input_is_no_answer(monkeypatch):
    with pytest.raises(EOFError):
        answered(monkeypatch, "x\n")


ASKS = (
    "from maxagent.cli.prompts.key_input import read_key\n"
    "from maxagent.cli.prompts.text_input import read_line\n"
    "from maxagent.cli.rendering.console import open_console\n"
    "keys = {'keep': 'a', 'undo': 'b'}\n"
    "while True:\n"
    "    print('got', read_key(open_console(), 'Keep it?', keys, yes='keep'))\n"
    "    print('said', repr(read_line(open_console(), 'Why?')))\n"
)


def test_one_key_answers_without_enter(tmp_path: Path) -> None:
    with ScreenTerminal([sys.executable, "-c", ASKS], tmp_path, {**os.environ}) as terminal:
        for at, (key, word) in enumerate({"u": "undo", "K": "keep", "y": "keep"}.items(), 1):
            terminal.wait_for(lambda screen, at=at: screen.count("Keep it?") == at)
            terminal.type(key)
            terminal.wait_for(f"got {word}")
            terminal.wait_for(lambda screen, at=at: screen.count("Why?") == at)
            terminal.type(f"since {key}\n")
            terminal.wait_for(f"said 'since {key}'")


def test_enter_behind_a_key_answers_nothing_else(tmp_path: Path) -> None:
    with ScreenTerminal([sys.executable, "-c", ASKS], tmp_path, {**os.environ}) as terminal:
        terminal.wait_for("Keep it?")
        terminal.type("\nu\nbecause\n")
        terminal.wait_for("said 'because'")
        assert "Press " not in terminal.scrollback()


WORKS = (
    "import pathlib, time\n"
    "print('working')\n"
    "while not pathlib.Path('done').exists(): time.sleep(0.01)\n"
    "from maxagent.cli.prompts.text_input import discard_typeahead\n"
    "discard_typeahead()\n"
)


@pytest.mark.parametrize("terminal_type", ["xterm-256color", "dumb"])
def test_what_was_typed_before_answers_nothing(tmp_path: Path, terminal_type: str) -> None:
    environ = {**os.environ, "TERM": terminal_type}
    with ScreenTerminal([sys.executable, "-c", WORKS + ASKS], tmp_path, environ) as terminal:
        terminal.wait_for("working")
        terminal.type("y\nkk")
        terminal.wait_for("kk")
        (tmp_path / "done").touch()
        terminal.wait_for("Keep it?")
        terminal.type("u\n")
        terminal.wait_for("got")
        assert "got undo" in terminal.wait_for("Why?")


@pytest.mark.parametrize(("typed", "word"), [("undo", "undo"), ("yes", "keep"), ("K", "keep")])
def test_rest_of_a_word_answers_nothing_else(tmp_path: Path, typed: str, word: str) -> None:
    with ScreenTerminal([sys.executable, "-c", ASKS], tmp_path, {**os.environ}) as terminal:
        terminal.wait_for("Keep it?")
        terminal.type(f"{typed}\nbecause\n")
        terminal.wait_for(f"got {word}")
        terminal.wait_for("said 'because'")
        terminal.wait_for(lambda screen: screen.count("Keep it?") == 2)
        terminal.type(typed)  # without Enter
        terminal.wait_for(lambda screen: screen.count("Why?") == 2)
        terminal.type("\n")
        terminal.wait_for("said ''")


def test_a_key_can_be_deleted_at_once(tmp_path: Path) -> None:
    with ScreenTerminal([sys.executable, "-c", ASKS], tmp_path, {**os.environ}) as terminal:
        terminal.wait_for("Keep it?")
        terminal.type("k\x7fu\n")
        assert "got undo" in terminal.wait_for("Why?")


def test_y_means_the_word_that_is_a_yes(monkeypatch):
    keys = {"keep": "a", "undo": "b"}
    for typed, word in {"y": "keep", "YES": "keep", "k": "keep", "u": "undo"}.items():
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{typed}\n"))
        assert read_key(open_console(), "Keep?", keys, yes="keep") == word
