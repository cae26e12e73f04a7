"""Conversion of HTML to Markdown, in its own process: hostile HTML can make a parser hang or grow.

`python -m maxagent.tools.web.html_to_markdown FILE ADDRESS` reads UTF-8 and writes UTF-8.
"""

import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

# bytes of address space
MAX_MEMORY_BYTES = 1_000_000_000
# recursion limit for nested elements; deeper ones become plain text
MAX_RECURSION = 5_000

NOT_SHOWN = (
    *("head", "title", "meta", "base", "link", "script", "style", "noscript", "template"),
    *("svg", "math", "canvas", "img", "picture", "source", "map", "audio", "video"),
    *("iframe", "frame", "object", "embed", "applet", "dialog"),
    *("input", "button", "select", "option", "textarea"),
)
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|opacity\s*:\s*0(\.0+)?\s*(;|$|!)"
    r"|font-size\s*:\s*0+(\.0+)?\s*([a-z%]*)\s*(;|$|!)|clip(-path)?\s*:|text-indent\s*:\s*-\d{3}",
    re.IGNORECASE,
)
_LINKS = ("http://", "https://")


def to_markdown(html: str, address: str) -> str:
    """Convert the visible part of a page to Markdown, with absolute links."""
    from bs4 import BeautifulSoup
    from bs4.element import PreformattedString
    from markdownify import MarkdownConverter

    soup = BeautifulSoup(html, "html.parser")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for node in soup.find_all(string=lambda text: isinstance(text, PreformattedString)):
        node.extract()  # comments, declarations and the like
    _take_out_hidden(soup)
    _write_out_links(soup, address)
    body = soup.body or soup
    try:
        text = MarkdownConverter(heading_style="ATX", bullets="-").convert_soup(body)
    except RecursionError:
        text = soup.get_text("\n")
    text = re.sub(r"\n\s*\n\s*\n+", "\n\n", re.sub(r"[ \t]+\n", "\n", text)).strip()
    return f"# {title}\n\n{text}" if title and title not in text[:500] else text


def _take_out_hidden(soup: "BeautifulSoup") -> None:
    for tag in soup.find_all(NOT_SHOWN):
        tag.extract()
    for tag in soup.find_all(_is_hidden):
        tag.extract()


def _is_hidden(tag: "Tag") -> bool:
    style = tag.attrs.get("style")
    return (
        "hidden" in tag.attrs
        or tag.attrs.get("aria-hidden") == "true"
        or (isinstance(style, str) and bool(_HIDDEN.search(style)))
    )


def _write_out_links(soup: "BeautifulSoup", address: str) -> None:
    """Make links absolute; a link to anything but a page becomes plain text."""
    for link in soup.find_all("a"):
        href = link.attrs.get("href")
        whole = ""
        with suppress(ValueError):
            whole = urljoin(address, href) if isinstance(href, str) else ""
        link.attrs = {"href": whole} if whole.startswith(_LINKS) else {}


def _set_memory_limit() -> None:
    import resource  # not on Windows

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


def main() -> None:
    """Read the HTML file and write its Markdown."""
    with suppress(ImportError):
        _set_memory_limit()
    sys.setrecursionlimit(MAX_RECURSION)
    html = Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace")
    sys.stdout.buffer.write(to_markdown(html, sys.argv[2]).encode(errors="replace"))


if __name__ == "__main__":
    main()
