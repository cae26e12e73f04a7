"""The picture in the README shows what a run looks like today."""

import re
import runpy
from collections.abc import Iterable
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory

DEMO = Path(__file__).parents[2] / "docs/demo"
CHANGING = re.compile(
    r"^ *thread .*|thread [0-9a-f]{8}|[\d.,]+ s\b|[\d.]+s\b|[\d.,]+k? tokens|\(\d+% cached\)"
)
"""Of each run its own: ids, times, tokens, and the sandbox of the machine."""


def texts(drawing: str) -> list[str]:
    """What the picture says, in an order of its own: calls that only read finish in any."""
    matches: Iterable[str] = re.findall(r"<text[^>]*>(.*?)</text>", drawing)
    rows = (CHANGING.sub("", unescape(text)).strip() for text in matches)
    return sorted(" ".join(sorted(re.split(r"[ ,·]+", row))) for row in rows if row)


def test_picture_is_a_run_of_today() -> None:
    picture = runpy.run_path(str(DEMO / "picture.py"))
    with TemporaryDirectory() as folder:  # a short name: rows break at the same places
        location = Path(folder)
        rows = picture["read_screen"](picture["run_demo"](location), location)
    drawn = picture["draw"](picture["select_rows"](rows))
    committed = (DEMO / "run.svg").read_text(encoding="utf-8")
    assert texts(committed) == texts(drawn), "run `make picture`"
    assert len(texts(committed)) > 20
