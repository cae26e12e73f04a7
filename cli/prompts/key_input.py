"""One key in answer to a question: `?` says what each does, anything else which there are."""

from collections.abc import Mapping

from rich.console import Console

from ..i18n.catalogs import t
from ..rendering.console import show_line
from .text_input import read_line

# English words, of which the first letter is the key, each with what it does
Keys = Mapping[str, str]


def read_key(console: Console, question: str, keys: Keys, why: str = "", yes: str = "") -> str:
    """The word of the key that was pressed, or which was typed whole.

    `why` stands first in what `?` says. `yes` is the word that `y` means too. At a terminal a key
    needs no Enter. Raises EOFError when the human leaves the question open.
    """
    offered = [*(word[0] for word in keys), "?"]
    meant = {typed: word for word in keys for typed in (word, word[0])}
    meant = {"y": yes, "yes": yes, **meant} if yes else meant
    single = {sign for typed in (*meant, "?") if len(typed) == 1 for sign in (typed, typed.upper())}
    while True:
        reply = read_line(console, f"{question} [{'/'.join(offered)}]", single).lower()
        if reply in meant:
            return meant[reply]
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
