from glass_console import GlassConsole
from rich.text import Text

from maxagent.cli.rendering.block_printer import MAX_HEAD, BlockPrinter


def test_blocks_have_air_and_one_edge() -> None:
    console = GlassConsole(30)
    printer = BlockPrinter(console)
    printer.print_head(Text("Read a.py"), "3 s")
    printer.print_rows(Text("a text that takes two rows here, of course"))
    printer.print_line("another block that takes two rows", "yellow")
    assert console.rows == [
        "",
        f"● Read a.py{'3 s':>19}",
        "  a text that takes two rows",
        "  here, of course",
        "",
        "! another block that takes two",
        "  rows",
    ]


def test_lines_of_one_kind_stay_together() -> None:
    console = GlassConsole()
    printer = BlockPrinter(console)
    for text, kind in (("a", "note"), ("b", "note"), ("c", "quiet"), ("d", ""), ("e", "")):
        printer.print_line(text, "", kind=kind)
    assert console.rows == ["", "● a", "● b", "", "● c", "", "● d", "", "● e"]


def test_head_is_one_row_of_any_width() -> None:
    for columns in (20, 80, 200):
        console = GlassConsole(columns)
        BlockPrinter(console).print_head(Text("x" * 300), "12 s")
        (row,) = console.rows[1:]
        assert len(row) == min(columns, MAX_HEAD) and row.endswith("…  12 s")


def test_heading_stands_right_above_its_first_block() -> None:
    console = GlassConsole()
    printer = BlockPrinter(console)
    for text in ("coder", "tester"):
        printer.print_heading(Text(text))
        printer.print_line("a", "")
        printer.print_line("b", "")
    rows = ["● a", "", "● b"]
    assert console.rows == ["", "coder", *rows, "", "tester", *rows]


def test_recorded_block_is_printed_later() -> None:
    console = GlassConsole(30)
    printer = BlockPrinter(console)
    with printer.record() as rows:
        printer.print_line("a", "")
        printer.print_rows(Text("b"))
    assert console.rows == [""]
    printer.print_block(rows)
    assert console.rows == ["", "● a", "  b"]
