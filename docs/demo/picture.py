"""Draw docs/demo/run.svg: a real run of the demo in a terminal; only its model is scripted."""

import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from fcntl import ioctl
from itertools import groupby
from pathlib import Path
from termios import TIOCSWINSZ
from xml.sax.saxutils import escape

import pyte
from pyte.screens import Char

HERE = Path(__file__).parent
PICTURE = HERE / "run.svg"
REQUEST = "The tests in tests/test_prices.py fail. Repair the prices."
OPTIONS = ("--trust", "--mode", "auto", "--apply")
COLUMNS, ROWS = 96, 400
CELL, LINE, MARGIN = 8.4, 19, 16  # pixels
BACKGROUND, FOREGROUND = "#101418", "#d8dee4"
COLORS = {
    "red": "#ff7b72",
    "green": "#7ee787",
    "brown": "#e3b341",
    "blue": "#79c0ff",
    "magenta": "#d2a8ff",
    "cyan": "#76e3ea",
    "brightblack": "#8b949e",
    "default": FOREGROUND,
}
SHOWN = (
    (r"  .* · sandbox", r"· this project"),
    (r"architect", r"◆ discounted and"),
    (r"coder", r"coder"),
    (r"◆ Both changes", r".*\+     return \(cents"),
    (r"[●✓] tests ", r".*passed"),
    (r"tester", r"tester"),
    (r"◆ Accepted", r".*touched"),
    (r"✓ verified", r".* of the context · "),
)
"""First and last row of each part of the run that the picture has; `⋮` stands for the rest."""

Row = list[Char]


def main() -> None:
    """Run the demo in a folder of its own and draw it."""
    with tempfile.TemporaryDirectory() as folder:
        rows = read_screen(run_demo(Path(folder)), Path(folder))
    PICTURE.write_text(draw(select_rows(rows)), encoding="utf-8")
    print(f"drawn: {PICTURE}")


def run_demo(place: Path) -> bytes:
    """What `mcode task` writes to a terminal."""
    shutil.copytree(HERE / "project", place / "shop")
    shutil.copy(HERE / "scenario.json", place)
    subprocess.run(["git", "init", "--quiet", place / "shop"], check=True)
    mcode = Path(sys.executable).with_name("mcode")
    options = ["--folder", "shop", "--model", "scripted/scenario.json", *OPTIONS]
    environ = {**os.environ, "MAXAGENT_HOME": str(place / "home"), "TERM": "xterm-256color"}
    environ["PATH"] = f"{mcode.parent}:{environ['PATH']}"
    environ.pop("COLUMNS", None)  # it would count more than the terminal's own width
    environ.pop("VIRTUAL_ENV", None)  # its `python` would come before the `python3` beside mcode
    return run_in_terminal([str(mcode), "task", REQUEST, *options], place, environ)


def run_in_terminal(command: Sequence[str], folder: Path, environ: dict[str, str]) -> bytes:
    """Everything that a program writes to a terminal of our size."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    with subprocess.Popen(
        command, cwd=folder, env=environ, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        written = b""
        while part := _read(ours):
            written += part
    os.close(ours)
    if process.returncode:
        raise SystemExit(written.decode())
    return written


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux reports the end of a terminal so
        return b""


def read_screen(written: bytes, folder: Path) -> list[Row]:
    """The rows that are on the screen at the end; the folder's name is left out."""
    text = written.decode().replace(f"{folder.resolve()}/", "")
    dim = re.compile(r"\x1b\[((?:\d+;)*)2((?:;\d+)*)m")  # pyte does not know faint text
    screen = pyte.Screen(COLUMNS, ROWS)
    pyte.Stream(screen).feed(dim.sub("\x1b[\\g<1>90\\g<2>m", text))
    return [[screen.buffer[y][x] for x in range(COLUMNS)] for y in range(screen.cursor.y)]


def select_rows(rows: Sequence[Row]) -> list[Row]:
    """The rows of the picture, below the command that was typed."""
    texts = ["".join(cell.data for cell in row).rstrip() for row in rows]
    shown = [_to_row(f'$ mcode task "{REQUEST}"', "cyan")]
    end = 0
    for first, last in SHOWN:
        start = next(y for y in range(end, len(rows)) if re.match(first, texts[y]))
        skipped = any(texts[end:start])
        end = 1 + next(y for y in range(start, len(rows)) if re.match(last, texts[y]))
        shown += [_to_row("  ⋮", "brightblack")] if skipped else []
        shown += [[]] if start and not texts[start - 1] else []
        shown += [rows[y] for y in range(start, end)]
    return shown


def _to_row(text: str, color: str) -> Row:
    return [Char(letter, fg=color) for letter in text]


def draw(rows: Sequence[Row]) -> str:
    """The rows as an SVG file that needs no font of its own."""
    width = COLUMNS * CELL + 2 * MARGIN
    height = len(rows) * LINE + 2 * MARGIN
    texts = "\n".join(
        _draw_run(run, MARGIN + start * CELL, MARGIN + LINE * (number + 0.75))
        for number, row in enumerate(rows)
        for start, run in _split_runs(row)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">\n'
        "<title>mcode task repairs a small project; its model is scripted</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>\n'
        '<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" '
        f'xml:space="preserve">\n{texts}\n</g>\n</svg>\n'
    )


def _split_runs(row: Row) -> list[tuple[int, list[Char]]]:
    """Neighbours of the same look, with the column where they begin; blanks at the end are not."""
    length = len("".join(cell.data or " " for cell in row).rstrip())
    groups = groupby(
        enumerate(row[:length]), key=lambda item: (item[1].fg, item[1].bold, item[1].italics)
    )
    runs = [list(items) for _, items in groups]
    return [(items[0][0], [cell for _, cell in items]) for items in runs]


def _draw_run(run: Sequence[Char], x: float, y: float) -> str:
    """One `<text>`; `textLength` keeps the columns, whichever font the viewer has."""
    text, look = "".join(cell.data for cell in run), run[0]
    if not text.strip():
        return ""
    bold = ' font-weight="bold"' if look.bold else ""
    italic = ' font-style="italic"' if look.italics else ""
    color = COLORS.get(look.fg, f"#{look.fg}")
    return (
        f'<text x="{x:g}" y="{y:g}" textLength="{len(text) * CELL:g}" fill="{color}"{bold}{italic}>'
        f"{escape(text)}</text>"
    )


if __name__ == "__main__":
    main()
