"""The words of the page, in the language of the interface."""

from ..i18n.catalogs import get_language, load_catalog

PREFIX = "web."


def collect_words() -> dict[str, str]:
    """Return the texts of the page by their keys without the prefix; English where one misses."""
    texts = dict[str, str]()
    for language in dict.fromkeys(["en", get_language()]):
        messages = load_catalog("mcode", language).list_messages()
        texts |= {
            key.removeprefix(PREFIX): message
            for key, message in messages.items()
            if key.startswith(PREFIX) and message
        }
    return texts
