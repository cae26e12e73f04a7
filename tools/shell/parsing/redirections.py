"""Redirections and here-documents."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .shell_state import ShellState
from .simple_command import Feed, Redirect
from .syntax_tree import get_text, parse_tree
from .word_values import Expander, group_words, is_sure

if TYPE_CHECKING:
    from tree_sitter import Node

KINDS = ("file_redirect", "herestring_redirect", "heredoc_redirect")
# Redirections without a file: the grammar reads the next word as their file
_CLOSING = ("<&-", ">&-")


@dataclass
class Redirections:
    """The combined redirections of one command."""

    feed: Feed
    """The command's input."""
    redirects: list[Redirect] = field(default_factory=list[Redirect])
    more: "list[list[Node]]" = field(default_factory=list["list[Node]"])
    """Words after the redirections that belong to the command."""
    tails: "list[Node]" = field(default_factory=list["Node"])
    """Commands after them: in `cat <<END | sh` the grammar hides the pipe in the document."""
    plain: bool = True
    """Whether they open no file."""
    readable: bool = True
    """Whether they open files only to read."""
    simple: bool = True
    """Whether all their files are certainly known, and no command follows them."""


def read_redirections(
    nodes: "Iterable[Node]", feed: Feed, scope: ShellState, expander: Expander
) -> Redirections:
    """Read redirections in order."""
    opened = Redirections(feed)
    for node in nodes:
        if node.type == "file_redirect":
            _read_file_redirect(node, opened, scope, expander)
            continue
        opened.plain = opened.readable = False
        if node.type == "herestring_redirect":
            words = expander.expand_words(node.children[1:], scope)
            opened.feed = Feed(" ".join(word.text for word in words) + "\n")
        elif node.type == "heredoc_redirect":
            _read_heredoc_redirect(node, opened, scope, expander)
    return opened


def _read_file_redirect(
    node: "Node", opened: Redirections, scope: ShellState, expander: Expander
) -> None:
    operator = next((child.type for child in node.children if not child.is_named), ">")
    words = group_words(node.children_by_field_name("destination"))
    if operator in _CLOSING:
        opened.more.extend(words)
        return
    for word in expander.expand_word(words[0], scope) if words else []:
        redirect = Redirect(operator, word)
        reads_file = operator == "<" and word.text != "/dev/null"
        opened.redirects.append(redirect)
        opened.plain = opened.plain and word.known and not redirect.writes and not reads_file
        exact = word.known and is_sure(words[0])
        opened.simple = opened.simple and exact
        opened.readable = opened.readable and exact and not redirect.writes
    # In `cat >out .env` the grammar reads the words after the file as files, too
    opened.more.extend(words[1:])
    opened.simple = opened.simple and len(words) == 1


def _read_heredoc_redirect(
    node: "Node", opened: Redirections, scope: ShellState, expander: Expander
) -> None:
    document = read_here_document(node)
    opened.feed = Feed(document.text)
    if document.expands:
        expander.expand_word(parse_tree(as_string(document.text)).children, scope)
    for child in node.children:
        if child.type in KINDS:
            inner = read_redirections([child], opened.feed, scope, expander)
            opened.feed = inner.feed
            opened.simple = opened.simple and inner.simple
            opened.redirects += inner.redirects
            opened.more += inner.more
        elif child in node.children_by_field_name("argument"):
            opened.more.append([child])
            opened.simple = False
        elif child.is_named and not child.type.startswith("heredoc"):
            opened.tails.append(child)
            opened.simple = False


@dataclass(frozen=True)
class HereDocument:
    """The text between the lines `<<END` and `END`."""

    text: str
    expands: bool
    """Whether expansions in it are performed: no part of `END` is quoted."""


def read_here_document(node: "Node") -> HereDocument:
    """Read a here-document; the grammar knows where it ends, but not everything in it."""
    start = next((child for child in node.children if child.type == "heredoc_start"), None)
    end = next((child for child in node.children if child.type == "heredoc_end"), None)
    whole = (node.text or b"")[: end.start_byte - node.start_byte if end else None]
    body = whole.partition(b"\n")[2].decode(errors="replace")
    quoted = start is None or bool(re.search(r"[\\'\"]", get_text(start)))
    return HereDocument(body, not quoted and bool(re.search("[$`]", body)))


def as_string(body: str) -> str:
    """Return the body as a string in double quotes, which the shell expands in the same way."""
    return '"' + re.sub(r"(?<!\\)((?:\\\\)*)\"", r"\1\"", body) + '"'
