from maxagent.cli.rendering.definition_list import listed
from maxagent.cli.rendering.table import width_of

ROWS = [("/help", "List commands"), ("/model [NAME]", "查看或更换模型"), ("/x", "")]


def test_where_there_is_room_names_stand_beside_what_they_are() -> None:
    assert listed(ROWS, 40).splitlines() == [
        "/help          List commands",
        "/model [NAME]  查看或更换模型",
        "/x",
    ]


def test_what_is_too_long_goes_on_below_its_beginning() -> None:
    assert listed(ROWS[:1], 16).splitlines() == ["/help  List", "       commands"]


def test_where_nobody_reads_on_a_terminal_no_line_is_broken() -> None:
    assert listed([("a", "word " * 99)]).count("\n") == 0


def test_where_there_is_no_room_it_stands_below_and_no_line_is_too_wide() -> None:
    lines = listed(ROWS, 16).splitlines()
    assert lines[:3] == ["/help", "    List", "    commands"]
    assert lines[3] == "/model [NAME]" and max(map(width_of, lines)) <= 16
