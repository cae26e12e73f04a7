"""The words of the page, and of what it is sent, in the language of the request.

A stream is one for all its clients and in English: each client's language is put in on its way.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...sdk.streams.event_stream import HISTORY, StoredMessage, encode
from ..i18n.catalogs import get_language, load_catalog
from ..i18n.message_translation import translate_notice
from ..i18n.stored_messages import translate_stored

# Of the page, and the verbs of calls, as the terminal says them
PREFIX, VERB_PREFIX = "web.", "call."
# Fields with sentences of MaxAgent's own, by the message's type
_SENTENCES: Mapping[str, tuple[str, ...]] = {
    "notice": ("text",),
    "retry": ("reason",),
    "model_changed": ("reason",),
    "hook": ("reason",),
    "tool_result": ("error",),
    "error": ("message", "hint"),
}


def collect_words() -> dict[str, str]:
    """Return the texts of the page by their keys without the prefix; English where one misses."""
    texts = dict[str, str]()
    for language in dict.fromkeys(["en", get_language()]):
        messages = load_catalog("mcode", language).list_messages()
        texts |= {
            key.removeprefix(PREFIX): message
            for key, message in messages.items()
            if key.startswith((PREFIX, VERB_PREFIX)) and message
        }
    return texts


def translate_message(message: StoredMessage) -> StoredMessage:
    """Return a message of a stream with MaxAgent's own sentences in the language of the request."""
    if get_language() == "en" or message.type not in (HISTORY, *_SENTENCES):
        return message
    content = json.loads(message.content)
    data = content["data"]
    if message.type == HISTORY:
        data["entries"] = translate_entries(data["entries"])
    for name in _SENTENCES.get(message.type, ()):
        data[name] = _translate_first_line(data[name])
    return message._replace(content=encode(content))


def translate_entries(entries: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the entries of a history, with the errors of calls in the language of the request."""
    return entries if get_language() == "en" else [_translate_entry(entry) for entry in entries]


def _translate_entry(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    is_failed = entry["kind"] == "call" and entry["ok"] is False and "result" in entry
    return {**entry, "result": _translate_first_line(entry["result"])} if is_failed else entry


def _translate_first_line(text: str) -> str:
    """Translate the first line: what follows is of a program or a model."""
    first, newline, rest = text.partition("\n")
    return translate_notice(translate_stored(first)) + newline + rest
