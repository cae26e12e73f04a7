"""Layout of Markdown as rows of a screen: marks become styles, bullets, bars and light rules.

Code is copied as it was written; `/copy` has the Markdown itself. Addresses are shown as text and
not broken: a link shows its target.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Literal

from rich.text import Text

from ....config.security.redaction import redact
from ..console import CODE_STYLE, style_text
from ..line_breaks import ADDRESS, TAB, cut_text, wrap_text
from ..sanitize import sanitize_text
from ..table import GAP
from ..text_width import measure_width
from .blocks import MarkdownBlock, create_parser
from .syntax import highlight_code

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

Align = Literal["left", "center", "right"]
# Cells that a column needs, unless its content is shorter
MIN_COLUMN = 8
HEADINGS = {"h1": "bold underline", "h2": "bold"}
OTHER_HEADING = "bold italic"
INLINE = {"strong": "bold", "em": "italic", "s": "strike"}
CODE, LINK, MARK = CODE_STYLE, "underline", "dim"
# Least cells of a text, however deep it is nested in lists and quotes
NARROWEST = 12


def render_block(block: MarkdownBlock, width: int) -> list[Text]:
    """Return the rows of a block, at most `width` wide; of a part only rows that are new."""
    before = len(_render_markdown(block.before, width)) if block.before else 0
    return _render_markdown(block.before + block.text, width)[before:]


def _render_markdown(source: str, width: int) -> list[Text]:
    from markdown_it.tree import SyntaxTreeNode

    document = SyntaxTreeNode(_get_parser().parse(sanitize_text(redact(source))))
    rows = _render_nodes(document.children, max(width, NARROWEST))
    fitting = [part for row in rows for part in _cut_row(row, width)]
    for row in fitting:
        row.rstrip()
    return fitting


def _cut_row(row: Text, width: int) -> Iterator[Text]:
    """Yield the row in parts that fit; one that ends with an address stays as long as that is."""
    if any(match.end() > width for match in ADDRESS.finditer(row.plain)):
        return iter((row,))
    return cut_text(row, width)


@cache
def _get_parser() -> "MarkdownIt":
    return create_parser()


def _render_nodes(
    nodes: "list[SyntaxTreeNode]", width: int, *, tight: bool = False
) -> Iterator[Text]:
    """Yield blocks one below the other, with an empty row between them."""
    for number, node in enumerate(nodes):
        if number and not tight:
            yield Text()
        yield from _render_node(node, width)


def _render_node(node: "SyntaxTreeNode", width: int) -> Iterator[Text]:
    match node.type:
        case "fence":
            for line in _render_fence(node):
                yield from cut_text(line, width)
        case "code_block":
            for line in sanitize_text(node.content).removesuffix("\n").split("\n"):
                yield from cut_text(Text(f"    {line}"), width)
        case "bullet_list" | "ordered_list":
            yield from _render_list(node, width)
        case "blockquote":
            mark = Text("▎ ", MARK)
            yield from _mark_rows(
                mark, _render_nodes(node.children, _compute_inner_width(mark, width)), mark
            )
        case "table":
            yield from _render_table(node, width)
        case "hr":
            yield Text("─" * min(width, 40), MARK)
        case "heading":
            text = _render_inline(node)
            text.stylize(HEADINGS.get(node.tag, OTHER_HEADING))
            yield from wrap_text(text, width, keeps_addresses=True)
        case _:
            yield from wrap_text(_render_inline(node), width, keeps_addresses=True)


def _render_list(node: "SyntaxTreeNode", width: int) -> Iterator[Text]:
    paragraphs = [
        part for item in node.children for part in item.children if part.type == "paragraph"
    ]
    tight = all(paragraph.hidden for paragraph in paragraphs)
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, first):
        if number > first and not tight:
            yield Text()
        mark = Text("• " if node.type == "bullet_list" else f"{number}. ", MARK)
        inside = _render_nodes(item.children, _compute_inner_width(mark, width), tight=tight)
        yield from _mark_rows(mark, inside, Text(" " * len(mark)))


def _compute_inner_width(mark: Text, width: int) -> int:
    return max(width - len(mark), NARROWEST)


def _mark_rows(first: Text, inside: Iterator[Text], others: Text) -> Iterator[Text]:
    """Yield rows with one mark before the first, and another before the others."""
    yield Text.assemble(first, next(inside, Text()))
    for row in inside:
        yield Text.assemble(others, row)


def _render_fence(node: "SyntaxTreeNode") -> Iterator[Text]:
    """Yield code without fences and without a prefix, so that it can be copied."""
    lines = node.content.count("\n") + (node.content[-1:] not in ("", "\n"))
    code = sanitize_text(node.content).expandtabs(TAB)
    yield from islice(highlight_code(code, node.info.partition(" ")[0]), lines)


def _render_table(node: "SyntaxTreeNode", width: int) -> Iterator[Text]:
    lines = [line for part in node.children for line in part.children]
    header, *body = [[_render_inline(cell) for cell in line.children] for line in lines]
    aligns: list[Align] = [
        _parse_alignment(str(cell.attrs.get("style", ""))) for cell in lines[0].children
    ]
    return render_table(header, body, aligns, width)


def _parse_alignment(style: str) -> Align:
    match style.rpartition(":")[2]:
        case "center":
            return "center"
        case "right":
            return "right"
        case _:
            return "left"


def _render_inline(node: "SyntaxTreeNode") -> Text:
    """Return the inline content; sanitize it here, after entities such as `&#8238;` decode."""
    return Text().join(_render_inline_node(child) for child in node.children)


def _render_inline_node(node: "SyntaxTreeNode") -> Text:
    match node.type:
        case "text":
            return style_text(node.content, "")
        case "code_inline":
            return style_text(node.content, CODE)
        case "softbreak" | "hardbreak":
            return Text("\n")
        case "link" | "image":
            return _render_link(
                _render_inline(node), str(node.attrs.get("href") or node.attrs.get("src") or "")
            )
        case name:
            text = _render_inline(node)
            text.stylize(INLINE.get(name, ""))
            return text


def _render_link(text: Text, address: str) -> Text:
    """Return the text of a link and its target, unless the text is the target."""
    where = style_text(address, LINK)
    if not text:
        return where
    if text.plain in (where.plain, where.plain.removeprefix("mailto:")):
        text.stylize(LINK)
        return text
    return Text.assemble(text, " (", where, ")") if address else text


HEADER, RULE = "bold", "dim"


def render_table(
    header: Sequence[Text], body: Sequence[Sequence[Text]], aligns: Sequence[Align], width: int
) -> Iterator[Text]:
    """Yield the table in at most `width` cells."""
    for cell in header:
        cell.stylize(HEADER)
    natural_widths = [
        max(_measure_text(cell) for cell in column) for column in zip(header, *body, strict=True)
    ]
    widths = _fit_widths(natural_widths, width - len(GAP) * (len(natural_widths) - 1))
    is_narrow = any(
        fitted < min(MIN_COLUMN, natural)
        for fitted, natural in zip(widths, natural_widths, strict=True)
    )
    if is_narrow or not _have_room_for_addresses([header, *body], widths):
        yield from _as_list(header, body, width)
    else:
        yield from _as_columns(header, body, aligns, widths)


def _have_room_for_addresses(lines: Sequence[Sequence[Text]], widths: Sequence[int]) -> bool:
    """Return whether no column breaks an address of the web."""
    return all(
        len(match[0]) <= width
        for line in lines
        for cell, width in zip(line, widths, strict=True)
        for match in ADDRESS.finditer(cell.plain)
    )


def _fit_widths(natural_widths: Sequence[int], room: int) -> list[int]:
    """Return the widths of the columns; the widest shrink first."""
    widths = [min(natural, max(room, 1)) for natural in natural_widths]
    while sum(widths) > room and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    return widths


def _as_columns(
    header: Sequence[Text],
    body: Sequence[Sequence[Text]],
    aligns: Sequence[Align],
    widths: Sequence[int],
) -> Iterator[Text]:
    yield from _render_row(header, aligns, widths)
    yield Text(GAP.join("─" * width for width in widths), style=RULE)
    rows = [list(_render_row(cells, aligns, widths)) for cells in body]
    apart = any(len(row) > 1 for row in rows)  # else the end of a row would not be visible
    for number, row in enumerate(rows):
        if number and apart:
            yield Text()
        yield from row


def _render_row(
    cells: Sequence[Text], aligns: Sequence[Align], widths: Sequence[int]
) -> Iterator[Text]:
    columns = [wrap_text(cell, width) for cell, width in zip(cells, widths, strict=True)]
    for parts in zip_longest(*columns, fillvalue=Text()):
        padded = map(_pad_cell, parts, aligns, widths)
        row = Text(GAP).join(padded)
        row.rstrip()
        yield row


def _pad_cell(text: Text, align: Align, width: int) -> Text:
    room = max(width - _measure_text(text), 0)
    left = {"left": 0, "center": room // 2, "right": room}[align]
    return Text.assemble(" " * left, text, " " * (room - left))


def _as_list(header: Sequence[Text], body: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    for number, cells in enumerate(body):
        if number:
            yield Text()
        for name, cell in zip(header, cells, strict=True):
            text = Text.assemble(name, ": ", cell)
            yield from wrap_text(text, width, keeps_addresses=True)


def _measure_text(text: Text) -> int:
    return measure_width(text.plain)
