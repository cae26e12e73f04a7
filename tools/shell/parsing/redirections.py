"""Redirections: the files that they open, the text that they give, and what stands behind them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .here_document import as_string, here_document
from .shell_state import Scope
from .simple_command import Feed, Redirect
from .syntax_tree import tree
from .word_values import Expander, groups, is_sure

if TYPE_CHECKING:
    from tree_sitter import Node

KINDS = ("file_redirect", "herestring_redirect", "heredoc_redirect")
_CLOSING = ("<&-", ">&-")
"""Redirections to nothing: the grammar takes what follows them for their file."""


@dataclass
class Opened:
    """What the redirections of one command come to."""

    feed: Feed
    """What stands on its input."""
    redirects: list[Redirect] = field(default_factory=list[Redirect])
    more: "list[list[Node]]" = field(default_factory=list["list[Node]"])
    """Words behind them, which belong to the command."""
    tails: "list[Node]" = field(default_factory=list["Node"])
    """Commands behind them: in `cat <<END | sh` the grammar hides the pipe in the document."""
    plain: bool = True
    """Whether they open no file."""
    readable: bool = True
    """Whether they open files to read at most."""
    simple: bool = True
    """Whether all files that they open are surely known, and no command stands behind them."""


def open_all(nodes: "Iterable[Node]", feed: Feed, scope: Scope, expander: Expander) -> Opened:
    """Read redirections in their order."""
    opened = Opened(feed)
    for node in nodes:
        if node.type == "file_redirect":
            _file(node, opened, scope, expander)
            continue
        opened.plain = opened.readable = False
        if node.type == "herestring_redirect":
            words = expander.all_words(node.children[1:], scope)
            opened.feed = Feed(" ".join(word.text for word in words) + "\n")
        elif node.type == "heredoc_redirect":
            _document(node, opened, scope, expander)
    return opened


def _file(node: "Node", opened: Opened, scope: Scope, expander: Expander) -> None:
    operator = next((child.type for child in node.children if not child.is_named), ">")
    found = groups(node.children_by_field_name("destination"))
    if operator in _CLOSING:
        opened.more.extend(found)
        return
    for word in expander.words(found[0], scope) if found else []:
        one = Redirect(operator, word)
        reads_file = operator == "<" and word.text != "/dev/null"
        opened.redirects.append(one)
        opened.plain = opened.plain and word.known and not one.writes and not reads_file
        exact = word.known and is_sure(found[0])
        opened.simple = opened.simple and exact
        opened.readable = opened.readable and exact and not one.writes
    # In `cat >out .env` the grammar takes what follows the file for files, too.
    opened.more.extend(found[1:])
    opened.simple = opened.simple and len(found) == 1


def _document(node: "Node", opened: Opened, scope: Scope, expander: Expander) -> None:
    document = here_document(node)
    opened.feed = Feed(document.text)
    if document.expands:
        expander.words(tree(as_string(document.text)).children, scope)
    for child in node.children:
        if child.type in KINDS:
            inner = open_all([child], opened.feed, scope, expander)
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
