"""Pipelines such as `find … | xargs grep`: a program reads the files that another one finds.

The names come from the project: a name with a blank or a quote would become several words, and one
of them may be a flag.
"""

import os
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ....config.text import text
from ..parsing.find_arguments import find_start_folders
from ..parsing.flags import NotReadOnlyError, split_names
from ..parsing.simple_command import SimpleCommand
from .path_scope import PathScope
from .recursive_programs import matches_any
from .tree_access import MAX_ENTRIES, TraversalOptions

_READERS = split_names("grep egrep fgrep wc")
_CHOOSES = split_names("-o -or ! -not ,")
_DIVIDES = re.compile(r"[\s'\"\\]")


def is_read_only_pipeline(find: SimpleCommand, xargs: SimpleCommand, place: PathScope) -> bool:
    """Return whether `xargs` runs a reading program on the output of `find`, without secrets.

    The program's own arguments are checked separately.
    """
    if find.program != "find" or xargs.program != "xargs" or xargs.feed.programs != ("find",):
        return False
    if not all(word.known for word in (*find.words, *xargs.words)):
        return False
    texts = [word.text for word in find.words[1:]]
    options, words = _split_xargs_options([word.text for word in xargs.words[1:]])
    if words[:1] and words[0] in _READERS and options is not None:
        is_exact = "-print0" in texts and "-0" in options
        try:
            for start in find_start_folders(texts):
                _check_tree(start, texts, place, is_exact=is_exact)
        except NotReadOnlyError:
            return False
        return True
    return False


def _split_xargs_options(words: Sequence[str]) -> tuple[list[str] | None, Sequence[str]]:
    """Split the options of `xargs` from its command; None for an unknown option."""
    options, rest = list[str](), list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "-n" and rest and rest[0].isdecimal():
            rest.pop(0)
        elif not re.fullmatch(r"-0|-r|-n\d+|-0r|-r0", option):
            return None, rest
        options += ["-0"] if "0" in option and not option.startswith("-n") else []
    return options, rest


def _check_tree(start: str, texts: Sequence[str], place: PathScope, *, is_exact: bool) -> None:
    """Raise NotReadOnlyError if a secret would be read, or a name would become several words."""
    names = [value for test, value in zip(texts, texts[1:], strict=False) if test == "-name"]
    is_narrowed = len(names) == 1 and not _CHOOSES.intersection(texts)
    reads = partial(matches_any, names if is_narrowed else ["**/*"])
    place.check_tree(start, TraversalOptions(reads, follows_links=True))
    if not is_exact:
        _check_names(place.check_path(start))


def _check_names(top: Path) -> None:
    left = MAX_ENTRIES
    for folder, folders, files in os.walk(top):
        left -= len(folders) + len(files)
        if left < 0 or any(map(_DIVIDES.search, (*folders, *files))):
            raise NotReadOnlyError(
                text("file names in `{folder}` may split into several words", folder=folder)
            )
