"""Pieces put into the old text give the new one."""

from maxagent.tools.textedits.text_edits import TextEdit, apply_edits, find_edit_lines


def test_pieces_replace_what_they_name() -> None:
    text_edits = [TextEdit(0, 1, "x\ny"), TextEdit(4, 4, "z")]
    assert apply_edits("a\nb\nc", text_edits) == "x\ny\nb\nzc"
    assert find_edit_lines("a\nb\nc", text_edits) == (1, 4)
