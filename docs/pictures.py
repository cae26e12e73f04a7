"""Draw build/pictures/: a page of pictures of real runs; only the model plays a script.

Each look (dark, light, without colours, Chinese at 40 columns) holds the same scenes with the
project of docs/demo: a first run, and those of `picture_scenes.py`. All of them take a minute of
the processor: three minutes on an idle machine, seven on a busy one.
"""

import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fcntl import ioctl
from itertools import groupby
from pathlib import Path
from termios import TIOCSWINSZ
from typing import Self
from xml.sax.saxutils import escape

import pyte
from picture_scenes import SCENES, Scene
from pyte.screens import Char

DEMO = Path(__file__).parent / "demo"
PICTURES = Path(__file__).parents[1] / "build/pictures"
CELL, LINE, MARGIN = 8.4, 19, 16  # pixels
ROWS, PATIENCE, REST = 30, 180.0, 1.5
DARK = ("#101418", "#d8dee4", "#8b949e #ff7b72 #7ee787 #e3b341 #79c0ff #d2a8ff #76e3ea #d8dee4")
LIGHT = ("#ffffff", "#1f2328", "#6e7781 #cf222e #116329 #9a6700 #0969da #8250df #1b7c83 #1f2328")
NAMES = ["brightblack", "red", "green", "brown", "blue", "magenta", "cyan", "white"]
STYLE = re.compile(r"\x1b\[([\d;]+)m")
LINK = re.compile(r"\x1b\]8;.*?(?:\x1b\\|\a)")
KEYS = ("API_KEY", "LLC_", "MAXAGENT_")


@dataclass(frozen=True)
class Look:
    """A terminal: its size, its colours, the language."""

    name: str
    columns: int = 80
    is_light: bool = False
    environ: dict[str, str] = field(default_factory=dict[str, str])
    ready: str = "↑↓"
    """Stands below a question as soon as a key counts."""


LOOKS = (
    Look("dark"),
    Look("light", is_light=True),
    Look("no-colour", environ={"NO_COLOR": "1"}),
    Look("chinese", 40, environ={"MAXAGENT_LANG": "zh"}),
)


class Window:
    """A program at a terminal of its own."""

    def __init__(self, look: Look, arguments: Sequence[str], project: Path) -> None:
        self.look = look
        self._screen = pyte.HistoryScreen(look.columns, ROWS, history=1000, ratio=0.5)
        self._stream = pyte.Stream(self._screen)
        self._ours, theirs = pty.openpty()
        ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", ROWS, look.columns, 0, 0))
        mcode = Path(sys.executable).with_name("mcode")
        self._process = subprocess.Popen(
            [str(mcode), *arguments],
            cwd=project,
            env=build_environ(look, project.parent / "home"),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def type(self, keys: str) -> None:
        """Press these keys."""
        os.write(self._ours, keys.encode())

    def wait_for(self, text: str) -> None:
        """Read until this text is shown."""
        end = time.monotonic() + PATIENCE
        while text.replace(" ", "") not in "".join(self._screen.display).replace(" ", ""):
            if not self._read(end):
                raise SystemExit(f"{text!r} is not shown, but:\n" + "\n".join(self._screen.display))

    def wait_for_end(self) -> None:
        """Read until the program has ended."""
        while self._read(time.monotonic() + PATIENCE):
            continue

    def wait_for_rest(self) -> None:
        """Read until the program has written nothing for a while."""
        while self._read(time.monotonic() + REST):
            continue

    def _read(self, end: float) -> bool:
        """Show what the program writes; return whether it wrote anything until then."""
        if not select.select([self._ours], [], [], max(0, end - time.monotonic()))[0]:
            return False
        try:
            written = os.read(self._ours, 65536).decode(errors="replace")
        except OSError:  # the program has ended
            return False
        self._stream.feed(LINK.sub("", STYLE.sub(show_faint, written)))
        return bool(written)

    def find(self, pattern: str) -> str:
        """Return the first text on the screen that the pattern matches; it may wrap."""
        match = re.search(pattern, "".join(map(str.strip, self._screen.display)))
        return match[0] if match else ""

    def draw(self, name: str) -> None:
        """Draw what is seen now."""
        rows = [[row[x] for x in range(self.look.columns)] for row in self._list_rows()]
        if not any(cell.data.strip() for row in rows for cell in row):
            raise SystemExit(f"the picture {name}-{self.look.name} is empty")
        file = PICTURES / f"{name}-{self.look.name}.svg"
        file.write_text(draw(rows, self.look), encoding="utf-8")

    def _list_rows(self) -> Iterator[dict[int, Char]]:
        written = [number for number, row in enumerate(self._screen.display) if row.strip()]
        for number in range(max(written, default=0) + 1):
            yield self._screen.buffer[number]


def show_faint(style: re.Match[str]) -> str:
    """Make faint text grey, since pyte does not know it."""
    codes = style[1].split(";")
    if {"38", "48"} & {*codes}:  # there a 2 begins a colour
        return style[0]
    return f"\x1b[{';'.join('90' if code == '2' else code for code in codes)}m"


def build_environ(look: Look, home: Path) -> dict[str, str]:
    """The environment of a run: nobody's keys, a home of its own."""
    own = {name: value for name, value in os.environ.items() if not any(k in name for k in KEYS)}
    for name in ("COLUMNS", "VIRTUAL_ENV", "NO_COLOR"):
        own.pop(name, None)
    own["PATH"] = f"{Path(sys.executable).parent}:{own['PATH']}"
    background = "0;15" if look.is_light else "15;0"
    terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "COLORFGBG": background}
    return {**own, **terminal, "MAXAGENT_HOME": str(home), **look.environ}


def main() -> None:
    """Draw every picture, and the page that shows them."""
    shutil.rmtree(PICTURES, ignore_errors=True)
    PICTURES.mkdir(parents=True)
    for look in LOOKS:
        with tempfile.TemporaryDirectory() as folder:
            draw_look(look, Path(folder))
    names = sorted(file.name for file in PICTURES.glob("*.svg"))
    images = "\n".join(f'<h2>{name}</h2><img src="{name}" alt="{name}">' for name in names)
    (PICTURES / "index.html").write_text(f"<title>mcode</title>\n{images}\n", encoding="utf-8")
    print(f"drawn: {len(names)} pictures, {PICTURES / 'index.html'}")


def draw_look(look: Look, place: Path) -> None:
    """Draw the pictures of one look."""
    project = place / "shop"
    shutil.copytree(DEMO / "project", project)
    subprocess.run(["git", "init", "--quiet", project], check=True)
    with Window(look, [], project) as window:
        window.wait_for(look.ready)
        window.draw("0-trust")
        window.type("2")
        window.wait_for("OpenRouter")
        window.wait_for(look.ready)
        window.draw("1-first-run")
    noted = ""
    for scene in SCENES:
        noted = draw_scene(look, project, scene, noted)


def draw_scene(look: Look, project: Path, scene: Scene, noted: str) -> str:
    """Draw the pictures of one window; return the text that it has noted last."""
    shutil.copytree(DEMO / "project", project, dirs_exist_ok=True)
    command = list(scene.command)
    if scene.script:
        script = project.parent / "script.json"
        script.write_text(json.dumps(scene.script).replace("NOTED", noted))
        command += ["--model", f"scripted/{script}"]
    with Window(look, command, project) as window:
        for act, words in scene.acts:
            match act:
                case "type":
                    window.type(words)
                case "wait":
                    window.wait_for(words)
                case "ask":
                    window.wait_for(look.ready)
                case "end":
                    window.wait_for_end()
                case "rest":
                    window.wait_for_rest()
                case "note":
                    noted = window.find(words)
                case "draw":
                    window.draw(words)
    return noted


def draw(rows: Sequence[Sequence[Char]], look: Look) -> str:
    """The rows as an SVG file that needs no font of its own."""
    background, foreground, palette = LIGHT if look.is_light else DARK
    colors = dict(zip(NAMES, palette.split(), strict=True))
    bright = {f"bright{name}": color for name, color in colors.items()}
    misspelt = {"bfightmagenta": colors["magenta"]}  # by pyte
    colors = {"black": background, **bright, **misspelt, **colors, "default": foreground}
    width, height = look.columns * CELL + 2 * MARGIN, len(rows) * LINE + 2 * MARGIN
    shapes = "\n".join(
        _draw_run(run, start, number, colors)
        for number, row in enumerate(rows)
        for start, run in _split_runs(row)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}">\n<rect width="100%" height="100%" rx="8" fill="{background}"/>\n'
        '<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" '
        f'xml:space="preserve">\n{shapes}\n</g>\n</svg>\n'
    )


def _split_runs(row: Sequence[Char]) -> Iterator[tuple[int, list[Char]]]:
    """Neighbours of the same look, with the column where they begin."""
    for _, items in groupby(enumerate(row), key=lambda item: item[1]._replace(data="")):
        cells = list(items)
        yield cells[0][0], [cell for _, cell in cells]


def _draw_run(run: Sequence[Char], start: int, row: int, colors: dict[str, str]) -> str:
    """The background and the text of a run; `textLength` keeps the columns in every font."""
    text, look = "".join(cell.data for cell in run), run[0]
    x, y, width = MARGIN + start * CELL, MARGIN + LINE * row, len(run) * CELL
    before, after = len(text) - len(text.lstrip()), len(text) - len(text.rstrip())
    inner = escape(text.strip()).replace(" ", "\u00a0")  # a viewer would join spaces
    front, back = (colors.get(color, f"#{color}") for color in (look.fg, look.bg))
    has_back = look.bg != "default" or look.reverse
    if look.reverse:
        front, back = (back if look.bg != "default" else colors["black"]), front
    rect = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{LINE}" fill="{back}"/>'
    if not text.strip():
        return rect if has_back else ""
    bold = ' font-weight="bold"' if look.bold else ""
    italic = ' font-style="italic"' if look.italics else ""
    line = ' text-decoration="underline"' if look.underscore else ""
    return (
        f'{rect if has_back else ""}<text x="{x + before * CELL:g}" y="{y + LINE * 0.75:g}" '
        f'textLength="{width - (before + after) * CELL:g}" '
        f'fill="{front}"{bold}{italic}{line}>{inner}</text>'
    )


if __name__ == "__main__":
    main()
