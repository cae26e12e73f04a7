"""Markdown as rows of a screen: the marks of blocks stay, those in a line become styles.

What is copied from the screen is still Markdown, and code is copied as it was written. Addresses
are shown as text, never as a terminal's hyperlink, so that a link says where it leads.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from rich.text import Text

from ....config.security.redaction import redacted
from ..console import styled
from ..line_breaks import TAB, cut, wrapped
from ..sanitize import safe
from .blocks import Block, parser
from .tables import Align, table_rows

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

HEADINGS = {"h1": "bold underline", "h2": "bold"}
OTHER_HEADING = "bold italic"
INLINE = {"strong": "bold", "em": "italic", "s": "strike"}
CODE, LINK, MARK = "cyan", "underline", "dim"
THEME = "ansi_dark"
"""Sixteen colours that the user has chosen, readable on light and on dark."""
NARROWEST = 12
"""Cells that a text has at least, however deep it stands in lists and quotes."""


def rows(block: Block, width: int) -> list[Text]:
    """The rows of a block, none wider than `width`; of a part those that no part before it had."""
    before = len(_rows(block.before, width)) if block.before else 0
    return _rows(block.before + block.text, width)[before:]


def _rows(source: str, width: int) -> list[Text]:
    from markdown_it.tree import SyntaxTreeNode

    document = SyntaxTreeNode(_parser().parse(safe(redacted(source))))
    shown = _stacked(document.children, max(width, NARROWEST))
    fitting = [part for row in shown for part in cut(row, width)]
    for row in fitting:
        row.rstrip()
    return fitting


@cache
def _parser() -> "MarkdownIt":
    return parser()


def _stacked(nodes: "list[SyntaxTreeNode]", width: int, *, tight: bool = False) -> Iterator[Text]:
    """Blocks one below the other, with an empty row between them."""
    for number, node in enumerate(nodes):
        if number and not tight:
            yield Text()
        yield from _block(node, width)


def _block(node: "SyntaxTreeNode", width: int) -> Iterator[Text]:
    match node.type:
        case "fence":
            for line in _fenced(node):
                yield from cut(line, width)
        case "code_block":
            for line in safe(node.content).removesuffix("\n").split("\n"):
                yield from cut(Text(f"    {line}"), width)
        case "bullet_list" | "ordered_list":
            yield from _list(node, width)
        case "blockquote":
            mark = Text("> ", MARK)
            yield from _marked(mark, _stacked(node.children, _beside(mark, width)), mark)
        case "table":
            yield from _table(node, width)
        case "hr":
            yield Text("-" * min(width, 40), MARK)
        case "heading":
            text = _inline(node)
            text.stylize(HEADINGS.get(node.tag, OTHER_HEADING))
            yield from wrapped(text, width)
        case _:
            yield from wrapped(_inline(node), width)


def _list(node: "SyntaxTreeNode", width: int) -> Iterator[Text]:
    paragraphs = [
        part for item in node.children for part in item.children if part.type == "paragraph"
    ]
    tight = all(paragraph.hidden for paragraph in paragraphs)
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, first):
        if number > first and not tight:
            yield Text()
        mark = Text("- " if node.type == "bullet_list" else f"{number}. ", MARK)
        inside = _stacked(item.children, _beside(mark, width), tight=tight)
        yield from _marked(mark, inside, Text(" " * len(mark)))


def _beside(mark: Text, width: int) -> int:
    return max(width - len(mark), NARROWEST)


def _marked(first: Text, inside: Iterator[Text], others: Text) -> Iterator[Text]:
    """Rows with a mark before the first one, and another before the others."""
    yield Text.assemble(first, next(inside, Text()))
    for row in inside:
        yield Text.assemble(others, row)


def _fenced(node: "SyntaxTreeNode") -> Iterator[Text]:
    """Code with nothing before its lines, so that it can be copied; the fence says where it is."""
    lines = node.content.count("\n") + (node.content[-1:] not in ("", "\n"))
    begin, end = node.map or (0, 0)
    yield styled(f"{node.markup}{node.info}", MARK)
    code = safe(node.content).expandtabs(TAB)
    yield from islice(_highlighted(code, node.info.partition(" ")[0]), lines)
    if end - begin == lines + 2:  # both fences
        yield Text(node.markup, MARK)


def _highlighted(code: str, language: str) -> Iterator[Text]:
    from rich.syntax import Syntax

    shown = Syntax("", language or "text", theme=THEME).highlight(code)
    yield from (shown if shown.plain.startswith(code) else Text(code)).split("\n", allow_blank=True)


def _table(node: "SyntaxTreeNode", width: int) -> Iterator[Text]:
    lines = [line for part in node.children for line in part.children]
    header, *body = [[_inline(cell) for cell in line.children] for line in lines]
    aligns: list[Align] = [_align(str(cell.attrs.get("style", ""))) for cell in lines[0].children]
    return table_rows(header, body, aligns, width)


def _align(style: str) -> Align:
    match style.rpartition(":")[2]:
        case "center":
            return "center"
        case "right":
            return "right"
        case _:
            return "left"


def _inline(node: "SyntaxTreeNode") -> Text:
    """What stands in a line; every text of it made safe, for `&#8238;` was none before."""
    return Text().join(_piece(child) for child in node.children)


def _piece(node: "SyntaxTreeNode") -> Text:
    match node.type:
        case "text":
            return styled(node.content, "")
        case "code_inline":
            return styled(node.content, CODE)
        case "softbreak" | "hardbreak":
            return Text("\n")
        case "link" | "image":
            return _linked(
                _inline(node), str(node.attrs.get("href") or node.attrs.get("src") or "")
            )
        case name:
            text = _inline(node)
            text.stylize(INLINE.get(name, ""))
            return text


def _linked(text: Text, address: str) -> Text:
    """The words of a link and where it leads, unless they say so themselves."""
    where = styled(address, LINK)
    if not text:
        return where
    if text.plain in (where.plain, where.plain.removeprefix("mailto:")):
        text.stylize(LINK)
        return text
    return Text.assemble(text, " (", where, ")") if address else text
