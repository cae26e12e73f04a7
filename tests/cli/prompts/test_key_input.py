import io

import pytest

from maxagent.cli.prompts.key_input import pressed
from maxagent.cli.rendering.console import open_console

KEYS = {"yes": "do it", "no": "leave it"}


def answered(monkeypatch, typed):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return pressed(open_console(), "Sure?", KEYS, why="It matters.")


@pytest.mark.parametrize(
    ("typed", "word"), [("y\n", "yes"), (" YES \n", "yes"), ("n\n", "no"), ("yesno\nn\n", "no")]
)
def test_a_key_or_its_whole_word_is_an_answer(monkeypatch, typed, word):
    assert answered(monkeypatch, typed) == word


@pytest.mark.parametrize("typed", ["", "x", "always", "nothing"])
def test_anything_else_says_which_keys_there_are(monkeypatch, capsys, typed):
    assert answered(monkeypatch, f"{typed}\ny\n") == "yes"
    assert capsys.readouterr().err == (
        "Sure? [y/n/?] That is none of the keys: y, n, ?\nSure? [y/n/?] "
    )


def test_a_question_mark_says_what_each_key_does_and_how_to_leave(monkeypatch, capsys):
    answered(monkeypatch, "?\nn\n")
    assert "It matters.\n  y: do it\n  n: leave it\n  Esc, Ctrl-D: leave" in capsys.readouterr().err


def test_the_end_of_input_is_no_answer(monkeypatch):
    with pytest.raises(EOFError):
        answered(monkeypatch, "x\n")
