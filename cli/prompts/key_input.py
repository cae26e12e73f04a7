"""One key in answer to a question: `?` says what each does, anything else which there are."""

from collections.abc import Mapping

from rich.console import Console

from ..i18n.catalogs import t
from ..rendering.console import show_line
from .text_input import read

Keys = Mapping[str, str]
"""English words, of which the first letter is the key, each with what it does."""


def pressed(console: Console, question: str, keys: Keys, why: str = "") -> str:
    """The word of the key that was pressed, or which was typed whole.

    `why` stands first in what `?` says. Raises EOFError when the human leaves the question open.
    """
    offered = [*(word[0] for word in keys), "?"]
    while True:
        said = read(console, f"{question} [{'/'.join(offered)}]").lower()
        for word in keys:
            if said in (word, word[0]):
                return word
        if said == "?":
            _explain(console, keys, why)
        else:
            show_line(console, t("key.unknown", keys=", ".join(offered)), "yellow")


def _explain(console: Console, keys: Keys, why: str) -> None:
    each = (f"  {t('labelled', label=word[0], said=does)}" for word, does in keys.items())
    for line in (why, *each):
        if line:
            show_line(console, line, "")
    show_line(console, f"  {t('key.leave')}", "")
