"""Here-documents: what stands in them, and whether the shell looks for expansions there."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .syntax_tree import get_text

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class HereDocument:
    """The text between the line of `<<END` and `END`."""

    text: str
    expands: bool
    """Whether expansions in it are made: no part of `END` is in quotes."""


def read_here_document(node: "Node") -> HereDocument:
    """The document of a redirection; the grammar knows where it ends, but not all that is in it."""
    start = next((one for one in node.children if one.type == "heredoc_start"), None)
    end = next((one for one in node.children if one.type == "heredoc_end"), None)
    whole = (node.text or b"")[: end.start_byte - node.start_byte if end else None]
    body = whole.partition(b"\n")[2].decode(errors="replace")
    quoted = start is None or bool(re.search(r"[\\'\"]", get_text(start)))
    return HereDocument(body, not quoted and bool(re.search("[$`]", body)))


def as_string(body: str) -> str:
    """The body as a string in double quotes, which the shell reads in the same way."""
    return '"' + re.sub(r"(?<!\\)((?:\\\\)*)\"", r"\1\"", body) + '"'
