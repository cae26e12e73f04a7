"""What a terminal shows folded, and how it is opened again."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple

from rich.text import Text

from ...i18n.catalogs import t
from ..block_printer import EDGE
from ..console import style_text
from ..line_breaks import TAB

# Lines of an output that can be opened; the thread has all of it
MAX_LINES = 2_000


FoldKind = Literal["thought", "calls", "output", "diff"]


class Fold(NamedTuple):
    """Something that is shown in short."""

    kind: FoldKind
    render: Callable[[int], Text]
    """Returns all of it, in rows of at most so many cells."""


KeepFold = Callable[[Fold], None]


def fold_lines(kind: FoldKind, title: str, lines: Sequence[str]) -> Fold:
    """Return the fold of a call's output, or of a list, under the name of the call."""
    return Fold(kind, partial(_render_lines, title, tuple(lines)))


def _render_lines(title: str, lines: Sequence[str], width: int) -> Text:
    """Return the lines as they are: a terminal breaks those longer than `width` by itself."""
    rows = [style_text(f"{EDGE}{line.expandtabs(TAB)}", "dim") for line in lines]
    return Text("\n").join([style_text(title, "bold"), *rows])


def add_key_hint(text: str, keep_fold: KeepFold | None) -> str:
    """Name the key that opens what is folded, where there is one."""
    return f"{text} · {t('fold.key')}" if keep_fold else text
