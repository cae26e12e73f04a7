"""What the interface says, in English or Chinese: gettext catalogues in `locale/`.

`mcode` has the words of this floor, by key and in both languages; `help` has the texts of the help
pages and `told` what lower floors say, both by the English text. Never translated: names of
commands, options and settings, JSON, prompts. `make locale` compiles them.
"""

import os
from collections.abc import Mapping
from functools import cache
from gettext import GNUTranslations, translation
from pathlib import Path

_VARIABLES = ("MAXAGENT_LANG", "LLC_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
_LOCALE = Path(__file__).with_name("locale")
_chosen = ""


def use_language(name: str) -> None:
    """Speak `en` or `zh` from now on; empty: as the environment says. `language.py` settles it."""
    global _chosen
    _chosen = name


def t(key: str, /, **values: object) -> str:
    """The message of that key with its values; English where a translation is missing.

    For a count of 1 the message of `KEY.one` is used, if there is one.
    """
    return _find_text(key, one=values.get("count") == 1).format(**values)


def _find_text(key: str, *, one: bool) -> str:
    keys = [f"{key}.one", key] if one else [key]
    for spoken in (get_language(), "en"):
        for name in keys:
            if (text := load_catalog("mcode", spoken).gettext(name)) != name:
                return text
    return key


def get_language() -> str:
    """The one that is spoken now, `en` or `zh`."""
    return _chosen or detect_language(os.environ)


def detect_language(environ: Mapping[str, str]) -> str:
    """`zh` when the first of the language variables that is set says so, else `en`."""
    locale_name = next((environ[name] for name in _VARIABLES if environ.get(name)), "")
    return "zh" if locale_name.lower().startswith("zh") else "en"


def translate_english(domain: str, text: str) -> str:
    """What an English text is in the language that is spoken; itself where nobody has said."""
    return (
        text
        if not text or get_language() == "en"
        else load_catalog(domain, get_language()).gettext(text)
    )


class MessageCatalog(GNUTranslations):
    """A compiled catalogue that can be looked through."""

    _catalog: Mapping[str, str]

    def list_messages(self) -> Mapping[str, str]:
        """Every text with its translation."""
        return {text: translation for text, translation in self._catalog.items() if text}


@cache
def load_catalog(domain: str, language: str) -> MessageCatalog:
    """One catalogue of one language."""
    return translation(domain, _LOCALE, [language], class_=MessageCatalog)
