"""`make locale`: bring the catalogues up to what the source says, sorted, and compile them.

A new text comes in without a translation, for a human to give it one; what is said no more goes.
"""

from catalogue_files import compiled, every, path_of, read, written
from help_texts import help_texts

SOURCES = {"help": help_texts}


def main() -> None:
    """Write every catalogue, and tell of texts that wait for a translation."""
    for language, domain in every():
        file = path_of(language, domain)
        messages = read(file)
        if domain in SOURCES:
            messages = {text: messages.get(text, "") for text in SOURCES[domain]()}
        file.write_text(written(messages, language), encoding="utf-8")
        file.with_suffix(".mo").write_bytes(compiled(messages, language))
        for text in sorted(text for text, told in messages.items() if not told):
            print(f"{file}: no translation: {text}")


if __name__ == "__main__":
    main()
