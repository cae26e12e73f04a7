"""Pieces put into the old text give the new one."""

from maxagent.tools.textedits.text_edits import Piece, begin_lines, put


def test_pieces_replace_what_they_name() -> None:
    pieces = [Piece(0, 1, "x\ny"), Piece(4, 4, "z")]
    assert put("a\nb\nc", pieces) == "x\ny\nb\nzc"
    assert begin_lines("a\nb\nc", pieces) == (1, 4)
