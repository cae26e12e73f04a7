"""`make locale`: bring the catalogues up to what the source says, sorted, and compile them.

A new text comes in without a translation, for a human to give it one; what is said no more goes.
"""

from collections.abc import Mapping
from difflib import get_close_matches

from catalogue_files import compiled, every, path_of, read, written
from help_texts import help_texts
from translatable_texts import sentences

SOURCES = {"help": help_texts, "messages": sentences}


def up_to_date(domain: str, messages: Mapping[str, str]) -> dict[str, str]:
    """The messages that the source needs."""
    keys = SOURCES[domain]() if domain in SOURCES else read(path_of("en", domain))
    return {key: messages.get(key, "") for key in keys}


def text_of(language: str, domain: str, messages: Mapping[str, str]) -> str:
    """A catalogue's text; a translator reads the English words beside their key."""
    by_key = domain not in SOURCES and language != "en"
    return written(messages, language, read(path_of("en", domain)) if by_key else None)


def main() -> None:
    """Write every catalogue, and tell of texts that wait for a translation."""
    for language, domain in every():
        file = path_of(language, domain)
        before = read(file)
        messages = up_to_date(domain, before)
        file.write_text(text_of(language, domain, messages), encoding="utf-8")
        file.with_suffix(".mo").write_bytes(compiled(messages, language))
        missing = {text: message for text, message in before.items() if text not in messages}
        for text in sorted(text for text, message in messages.items() if not message):
            print(f"{file}: no translation: {text}")
            for like in get_close_matches(text, missing, n=1):
                print(f"  was: {like}\n  and: {missing[like]}")


if __name__ == "__main__":
    main()
