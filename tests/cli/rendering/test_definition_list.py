from maxagent.cli.rendering.definition_list import format_definition_list
from maxagent.cli.rendering.text_width import measure_width

ROWS = [("/help", "List commands"), ("/model [NAME]", "查看或更换模型"), ("/x", "")]


def test_wide_terminal_puts_names_beside_definitions() -> None:
    assert format_definition_list(ROWS, 40).splitlines() == [
        "/help          List commands",
        "/model [NAME]  查看或更换模型",
        "/x",
    ]


def test_long_definition_continues_in_its_column() -> None:
    assert format_definition_list(ROWS[:1], 16).splitlines() == ["/help  List", "       commands"]


def test_pipe_gets_definitions_without_line_breaks() -> None:
    assert format_definition_list([("a", "word " * 99)]).count("\n") == 0


def test_narrow_terminal_puts_definitions_below_names() -> None:
    lines = format_definition_list(ROWS, 16).splitlines()
    assert lines[:3] == ["/help", "    List", "    commands"]
    assert lines[3] == "/model [NAME]" and max(map(measure_width, lines)) <= 16
