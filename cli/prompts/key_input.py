"""Questions that one key answers: `?` explains the keys, any other input lists them."""

from collections.abc import Mapping

from rich.console import Console

from ..i18n.catalogs import t
from ..rendering.console import show_line
from .text_input import read_line

# English words, each with what it does; the first letter of a word is its key
Keys = Mapping[str, str]


def read_key(console: Console, question: str, keys: Keys, why: str = "", yes: str = "") -> str:
    """Return the word of the key that was pressed, or that was typed in full.

    `why` comes first in the text for `?`. `yes` is the word that `y` selects, too. At a terminal a
    key needs no Enter. Raises EOFError if the user leaves the question open.
    """
    offered = [*(word[0] for word in keys), "?"]
    words_by_input = {typed: word for word in keys for typed in (word, word[0])}
    words_by_input = {"y": yes, "yes": yes, **words_by_input} if yes else words_by_input
    single = {
        sign
        for typed in (*words_by_input, "?")
        if len(typed) == 1
        for sign in (typed, typed.upper())
    }
    while True:
        reply = read_line(console, f"{question} [{'/'.join(offered)}]", single).lower()
        if reply in words_by_input:
            return words_by_input[reply]
        if reply == "?":
            _explain_keys(console, keys, why)
        else:
            *keys_before, last = offered
            text = t("key.unknown", keys=", ".join(keys_before), last=last)
            show_line(console, text, "yellow")


def _explain_keys(console: Console, keys: Keys, why: str) -> None:
    each = (f"  {t('labelled', label=word[0], said=does)}" for word, does in keys.items())
    for line in (why, *each):
        if line:
            show_line(console, line, "")
    show_line(console, f"  {t('key.leave')}", "")
