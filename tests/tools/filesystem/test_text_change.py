"""An edit tells what is there now, what was adapted, and where it changed more than is shown."""

from maxagent.tools.filesystem.text_change import MAX_SHOWN, format_report
from maxagent.tools.textedits.text_edits import TextChange, TextEdit, apply_edits, find_edit_lines

OLD = "".join(f"{number}\n" for number in range(1, 201))


def told(text_edits: list[TextEdit], *adapted: str, old: str = OLD) -> list[str]:
    new = apply_edits(old, text_edits)
    lines = find_edit_lines(old, text_edits)
    change = TextChange(new, tuple(text_edits), lines, "line_trimmed", adapted)
    return format_report(old, new, [change], text_edits, "edit").split("\n")


def at(line: int, new: str) -> TextEdit:
    """A change of a whole line's text."""
    start = sum(len(f"{number}\n") for number in range(1, line))
    return TextEdit(start, start + len(str(line)), new)


def test_changed_lines_are_shown_with_two_around() -> None:
    assert [line.strip() for line in told([at(5, "five\nand more")])] == [
        *("", "3→3", "4→4", "5→five", "6→and more", "7→6", "8→7")
    ]


def test_lines_that_went_are_shown_by_their_neighbours() -> None:
    text_edits = [TextEdit(8, 10, "")]
    assert [line.strip() for line in told(text_edits)] == ["", "3→3", "4→4", "5→6", "6→7"]


def test_an_empty_file_is_reported_as_empty() -> None:
    assert told([TextEdit(0, len(OLD), "")]) == ["; the file is empty now"]


def test_what_was_adapted_is_reported() -> None:
    first = told([at(5, "x")], "indented by 4 blanks", "`’` written as `'`")[1]
    assert "line_trimmed" not in first and "indented by 4 blanks" in first
    assert "indented by 4 blanks; `’` written as `'`" in first


def test_many_places_show_the_first_and_name_others() -> None:
    lines = told([at(line, "x") for line in range(10, 200, 10)])
    assert sum("→" in line for line in lines) <= MAX_SHOWN
    assert lines[-1] == "[changed too: lines 90, 100, 110, 120, 130, 140, 150, 160, 170, 180, 190]"


def test_a_long_change_is_shown_by_its_beginning() -> None:
    lines = told([at(5, "x\n" * 500)])
    assert len(lines) == 1 + MAX_SHOWN
