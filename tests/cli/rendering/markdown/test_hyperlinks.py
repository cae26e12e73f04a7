from pathlib import Path

import pytest
from rich.style import Style
from rich.text import Text

from maxagent.cli.rendering.line_breaks import ADDRESS, wrap_text
from maxagent.cli.rendering.markdown.hyperlinks import add_links

LONG = "https://example.org/" + "a/" * 40 + "?x=1"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("see (https://a.b/c), x", "https://a.b/c"),
        ("请看https://a.b/c。这", "https://a.b/c"),
        ("<http://x.y/z?a=1>.", "http://x.y/z?a=1"),
        ("http:// ", ""),
        ("[x](https://a.b/c) and [https://a.b]d[/e]", "https://a.b/c"),
        ("http://[::1]:8000/x]", "http://[::1]:8000/x"),
        ("http://[fe80::1].", "http://[fe80::1]"),
        (r"https://a.b\x1b\evil", "https://a.b"),
        ("{https://a.b/c}", "https://a.b/c"),
    ],
)
def test_addresses_end_before_marks_of_the_sentence(text: str, address: str) -> None:
    assert ADDRESS.findall(text)[:1] == ([address] if address else [])


def test_places_that_exist_and_addresses_are_linked(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").touch()
    row = add_links(Text(f"src/a.py:12 src/b.py:1 {LONG}"), tmp_path)
    links = {
        row.plain[span.start : span.end]: span.style.link
        for span in row.spans
        if isinstance(span.style, Style)
    }
    assert links == {"src/a.py:12": (tmp_path / "src/a.py").as_uri(), LONG: LONG}


@pytest.mark.parametrize("width", [8, 40, 80])
def test_long_address_is_never_broken(width: int) -> None:
    text = Text(f"看 {LONG} 吧，很长")
    rows = [row.plain for row in wrap_text(text, width, keeps_addresses=True)]
    assert LONG in rows and rows[0] == "看" and "".join(rows[2:]) == "吧，很长"
