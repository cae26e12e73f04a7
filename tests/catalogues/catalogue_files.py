"""Reading and writing the catalogues: `.po` for people, `.mo` for the program."""

import re
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

from maxagent.cli.i18n import catalogs

LOCALE = Path(catalogs.__file__).parent / "locale"
DOMAINS = {"en": ("mcode",), "zh": ("mcode", "help", "messages")}
"""`mcode` is by key; `help` and `messages` are by the English text, so English needs none."""

_HEADER = (
    "Language: {language}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
    "Content-Transfer-Encoding: 8bit\n"
)
_ENTRY = re.compile(r'^msgid ((?:"(?:\\.|[^"\\])*"\s*)+)^msgstr ((?:"(?:\\.|[^"\\])*"\s*)+)', re.M)
_PIECE = re.compile(r'"((?:\\.|[^"\\])*)"')
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def path_of(language: str, domain: str) -> Path:
    """Where a catalogue's text is; its compiled form is beside it."""
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.po"


def read(file: Path) -> dict[str, str]:
    """Every message of a `.po` file, also those without a translation; not its header."""
    if not file.exists():
        return {}
    matches = _ENTRY.findall(file.read_text(encoding="utf-8"))
    messages = {_plain(key): _plain(text) for key, text in matches}
    return {key: text for key, text in messages.items() if key}


def written(
    messages: Mapping[str, str], language: str, english: Mapping[str, str] | None = None
) -> str:
    """The `.po` text of messages, sorted; by a key stands what it says in English."""
    entries = {"": _HEADER.format(language=language)} | dict(sorted(messages.items()))
    remarks = {
        key: "".join(f"#. {line}\n" for line in text.split("\n"))
        for key, text in (english or {}).items()
    }
    return "\n".join(
        f"{remarks.get(key, '')}msgid {_quoted(key)}\nmsgstr {_quoted(text)}\n"
        for key, text in entries.items()
    )


def compiled(messages: Mapping[str, str], language: str) -> bytes:
    """The `.mo` form; what is not translated is left out, so that English stands in for it."""
    header = {"": _HEADER.format(language=language)}
    output = sorted((key, text) for key, text in (header | dict(messages)).items() if text)
    keys, texts = ([pair[at].encode() for pair in output] for at in (0, 1))
    count, tables = len(output), 28
    number = tables + 16 * count
    content = struct.pack("<7I", 0x950412DE, 0, count, tables, tables + 8 * count, 0, 0)
    for word in (*keys, *texts):
        content += struct.pack("<2I", len(word), number)
        number += len(word) + 1
    return content + b"".join(word + b"\0" for word in (*keys, *texts))


def every() -> Iterator[tuple[str, str]]:
    """Each language with each of its catalogues."""
    return ((language, domain) for language, names in DOMAINS.items() for domain in names)


def _plain(quoted: str) -> str:
    text = "".join(_PIECE.findall(quoted))
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text)


def _quoted(text: str) -> str:
    lines = [f'"{"".join(_ESCAPES.get(c, c) for c in line)}"' for line in text.splitlines(True)]
    return lines[0] if len(lines) == 1 else "\n".join(['""', *lines])
