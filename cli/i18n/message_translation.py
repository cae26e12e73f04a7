"""Translation of messages from lower layers: notices, reasons, errors and hints.

A message carries its English template and its values (`config/text.py`); the catalogue `messages`
has the translation of each template. A message without values is its own template.
"""

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from string import Formatter
from typing import get_args

from ...config.text import TemplatedText
from ...config.trust.inventory import InventoryKind
from .catalogs import get_language, load_catalog, t

_OF_KIND = re.compile(rf"` \(({'|'.join(get_args(InventoryKind))})\)")


def translate(message: str) -> str:
    """Return the message in the language of the interface; in English where it has no translation.

    A bare string is matched exactly.
    """
    if get_language() == "en" or not message:
        return message
    if isinstance(message, TemplatedText):
        meaning = load_catalog("messages", get_language()).gettext(message.template)
        return fill_translation(message.template, meaning, message.values)
    return load_exact_messages(get_language()).get(message, message)


def translate_notice(notice: str) -> str:
    """Translate a notice and the kinds of files in it, which follow their names."""
    if get_language() == "en":
        return notice
    return _OF_KIND.sub(
        lambda kind: f"`{t('trust.of_kind', kind=t(f'trust.{kind[1]}'))}", translate(notice)
    )


def fill_translation(template: str, meaning: str, values: Mapping[str, str]) -> str:
    """Fill in the values; a value may be a message, too, unless it is a name in backticks."""
    quoted = _find_quoted_names(template)
    translated = {
        name: value if name in quoted else translate(value) for name, value in values.items()
    }
    return meaning.format(**translated)


@cache
def load_exact_messages(language: str) -> Mapping[str, str]:
    """Read the messages without values."""
    return {
        template.format(): meaning.format()
        for template, meaning in load_catalog("messages", language).list_messages().items()
        if all(name is None for _, name, _, _ in Formatter().parse(template))
    }


@cache
def _find_quoted_names(template: str) -> frozenset[str]:
    parts = [*Formatter().parse(template), ("", None, None, None)]
    return frozenset(
        name
        for (before, name, _, _), (after, *_) in pairwise(parts)
        if name is not None and before.endswith("`") and after.startswith("`")
    )
