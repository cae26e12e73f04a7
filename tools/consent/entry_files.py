"""The file with which a program begins that is given a name without its ending, or a folder."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

_NAMES = ".js .mjs .cjs .jsx .ts .mts .cts .tsx .rb .lua .json .node"
_ENDINGS = tuple(_NAMES.split())
_OF_FOLDERS = ("__main__.py", *(f"index{ending}" for ending in _ENDINGS), "main.go")
# Bytes
_MAX_PACKAGE = 5_000_000


def resolve_entries(path: Path) -> Iterator[Path]:
    """Yield the files that `node app`, `node .`, `python package` and the like may begin with."""
    if os.path.isfile(path):
        yield path
        return
    yield from _complete(path)
    if os.path.isdir(path):
        if main := _read_main(path / "package.json"):
            yield from _complete(path / main)
            yield from _list_existing(path / main / name for name in _OF_FOLDERS)
        yield from _list_existing(path / name for name in _OF_FOLDERS)


def _complete(path: Path) -> Iterator[Path]:
    return _list_existing([path, *(Path(f"{path}{ending}") for ending in _ENDINGS)])


def _list_existing(files: Iterable[Path]) -> Iterator[Path]:
    return filter(os.path.isfile, files)


def _read_main(file: Path) -> str:
    with suppress(OSError, ValueError, RecursionError), file.open("rb") as stream:
        data: object = json.loads(stream.read(_MAX_PACKAGE))
        main = cast("dict[str, object]", data).get("main") if isinstance(data, dict) else ""
        return main if isinstance(main, str) else ""
    return ""
