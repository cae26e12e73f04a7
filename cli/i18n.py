"""What the interface says, in English or Chinese; texts are data in `messages.*.json`.

Never translated: command, flag and configuration names, JSON keys, errors of lower floors.
"""

import json
import os
from collections.abc import Mapping
from functools import cache
from gettext import GNUTranslations, translation
from pathlib import Path
from typing import cast

_VARIABLES = ("MAXAGENT_LANG", "LLC_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
_LOCALE = Path(__file__).with_name("locale")
_chosen = ""


def use_language(name: str) -> None:
    """Speak `en` or `zh` from now on; empty: as the environment says. `language.py` settles it."""
    global _chosen
    _chosen = name


def t(key: str, /, **values: object) -> str:
    """The message of that key with its values; English where a translation is missing."""
    text = catalogue(language()).get(key) or catalogue("en")[key]
    return text.format(**values)


def language() -> str:
    """The one that is spoken now, `en` or `zh`."""
    return _chosen or language_of(os.environ)


def language_of(environ: Mapping[str, str]) -> str:
    """`zh` when the first of the language variables that is set says so, else `en`."""
    said = next((environ[name] for name in _VARIABLES if environ.get(name)), "")
    return "zh" if said.lower().startswith("zh") else "en"


def by_english(domain: str, text: str) -> str:
    """What an English text is in the language that is spoken; itself where nobody has said."""
    return (
        text if not text or language() == "en" else translations(domain, language()).gettext(text)
    )


class Catalogue(GNUTranslations):
    """A compiled catalogue that can be looked through."""

    _catalog: Mapping[str, str]

    def messages(self) -> Mapping[str, str]:
        """Every text with its translation."""
        return {text: told for text, told in self._catalog.items() if text}


@cache
def translations(domain: str, language: str) -> Catalogue:
    """One catalogue of one language."""
    return translation(domain, _LOCALE, [language], class_=Catalogue)


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Every message of one language by its key."""
    text = Path(__file__).with_name(f"messages.{language}.json").read_text(encoding="utf-8")
    return cast("dict[str, str]", json.loads(text))
