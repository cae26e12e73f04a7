"""The values of options: they may be programs, plugins and settings, whatever the operands are."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from ...config.trust.command_files import list_setting_words
from ...config.trust.runner_files import PACKAGE_SETTINGS
from ..sensitive_paths import find_homes
from .data_programs import COMPILERS
from .origin import Origin, build_unknown_origin, name_source, read_file_origin

# Options without a value, so that the word after them is an operand
_FLAG = re.compile(
    r"-[vq]|--(verbose|quiet|silent|version|help|check|fix|color|watch|coverage|test|no-[\w-]+)"
)
_COMPILER_FLAG = re.compile(r"-([cSEsgw]|g\w+|O\w*|W[\w-]+|[fm][\w-]+|pthread|shared|static)")
# Options that name what is written or unpacked
_TAR_FILE = re.compile(r"-[AcdhjJkmOpPrStuUvwxzZ]*f|--file")
_OUTPUTS = {
    **dict.fromkeys((*COMPILERS, "curl", "sort"), re.compile("-o|--output")),
    "wget": re.compile("-O|--output-document"),
    "tar": _TAR_FILE,
}
# Letters of a bundle after which a value may be attached, as in `sed -nfx.sed`
_MAX_BUNDLE = 6
_WORDS = re.compile(r"[^\s'\"`;&|<>()$={},!]+")
# `tar cIf ./run.sh out.tar x`: options without a dash
_OLD_STYLE = re.compile(r"[A-Za-z]*[IF][A-Za-z]*")
SUBJECT = "package settings"
# Most words of one file that may name another
_MAX_WORDS = 2_000


def list_option_values(program: str, words: Sequence[str]) -> list[str]:
    """Return each word that may be the value of an option, and the words in it."""
    if program == "tar" and words and _OLD_STYLE.fullmatch(words[0]):
        return list(words[1:])
    options = words[: words.index("--")] if "--" in words else words
    values = dict.fromkeys(_iter_values(program, options))
    lines = [value for value in values if re.search(r"[\s!]", value)]
    parts = [part for value in lines for part in _WORDS.findall(value)]
    return list(dict.fromkeys([*values, *(part for part in parts if re.search(r"[\w/]", part))]))


def _iter_values(program: str, words: Sequence[str]) -> Iterator[str]:
    output = _OUTPUTS.get(program)
    for word, following in zip(words, [*words[1:], "-"], strict=False):
        if not word.startswith("-"):
            if word.startswith("@"):  # `gcc @options`
                yield word[1:]
            continue
        name, has_value, value = word.partition("=")
        if output and output.fullmatch(name):
            continue
        if has_value:
            yield value
        elif not word.startswith("--"):
            yield from (word[start:] for start in range(2, min(len(word), _MAX_BUNDLE)))
        if not has_value and not following.startswith("-") and not _is_flag(program, word):
            yield following


def _is_flag(program: str, word: str) -> bool:
    is_of_compiler = program in COMPILERS and _COMPILER_FLAG.fullmatch(word)
    return bool(is_of_compiler or _FLAG.fullmatch(word))


def find_package_settings(program: str, folders: Sequence[Path], root: Path) -> Iterator[Origin]:
    """Yield the settings that a package program reads from these folders, and files they name."""
    names = PACKAGE_SETTINGS.get(program, "").split()
    for place in dict.fromkeys(place for folder in folders for place in _list_places(folder)):
        for name in names:
            if origin := read_file_origin(SUBJECT, place / name, root):
                yield origin
                yield from _find_named(origin.text, place / name, root)


def _list_places(folder: Path) -> Iterator[Path]:
    """Yield the folder and those above it; what is in the home, the user has written."""
    homes = find_homes()
    return takewhile(lambda place: place not in homes, (folder, *folder.parents))


def _find_named(settings: str, file: Path, root: Path) -> Iterator[Origin]:
    words = list_setting_words(settings)
    if len(words) > _MAX_WORDS:
        yield build_unknown_origin(SUBJECT, name_source(file, root))
        return
    for word in words:
        with suppress(OSError, ValueError):
            if origin := read_file_origin("script", file.parent / os.path.expanduser(word), root):
                yield origin
