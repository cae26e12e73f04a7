"""Texts of the interface in English and Chinese: gettext catalogues in `locale/`.

`mcode` has the texts of this package, by key and in both languages; `help` has the help texts and
`messages` those of lower layers, both by the English text. Never translated: names of commands,
options and settings, JSON, prompts. `make locale` compiles them.
"""

import os
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, translation
from pathlib import Path

_VARIABLES = ("MAXAGENT_LANG", "LLC_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
_LOCALE = Path(__file__).with_name("locale")
_chosen = ""
_program = "mcode"
_of_request: ContextVar[str] = ContextVar("language", default="")


def use_language(name: str) -> None:
    """Set the language, `en` or `zh`; empty: the environment decides. See `select_language`."""
    global _chosen
    _chosen = name


def use_program(command: str) -> None:
    """Set how a command begins where a text proposes one: with the server that it is for."""
    global _program
    _program = command


def use_request_language(name: str) -> None:
    """Set the language of what the current asyncio task says; empty: as everywhere."""
    _of_request.set(name)


def t(key: str, /, **values: object) -> str:
    """Return the message of that key with its values; in English if a translation is missing.

    For a count of 1 the message of `KEY.one` is used, if there is one.
    """
    message = _find_text(key, is_singular=values.get("count") == 1)
    if _program != "mcode":
        message = message.replace("`mcode ", f"`{_program} ")
    return message.format(**values)


def _find_text(key: str, *, is_singular: bool) -> str:
    keys = [f"{key}.one", key] if is_singular else [key]
    for spoken in (get_language(), "en"):
        for name in keys:
            if (text := load_catalog("mcode", spoken).gettext(name)) != name:
                return text
    return key


def get_language() -> str:
    """Return the current language, `en` or `zh`."""
    return _of_request.get() or _chosen or detect_language(os.environ)


def detect_language(environ: Mapping[str, str]) -> str:
    """Return `zh` if the first language variable that is set begins with it, else `en`."""
    locale_name = next((environ[name] for name in _VARIABLES if environ.get(name)), "")
    return "zh" if locale_name.lower().startswith("zh") else "en"


def translate_english(domain: str, text: str) -> str:
    """Translate an English text; return it unchanged if it has no translation."""
    return (
        text
        if not text or get_language() == "en"
        else load_catalog(domain, get_language()).gettext(text)
    )


class MessageCatalog(GNUTranslations):
    """A compiled catalogue whose texts can be listed."""

    _catalog: Mapping[str, str]

    def list_messages(self) -> Mapping[str, str]:
        """Return every text with its translation."""
        return {text: translation for text, translation in self._catalog.items() if text}


@cache
def load_catalog(domain: str, language: str) -> MessageCatalog:
    """Load one catalogue of one language."""
    return translation(domain, _LOCALE, [language], class_=MessageCatalog)
