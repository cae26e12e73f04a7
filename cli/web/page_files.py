"""The files of the page, read once: only what is here is served."""

import gzip
import json
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/manifest+json",
}


class PageFile(NamedTuple):
    """A file as it is sent."""

    type: str
    content: bytes
    compressed: bytes
    tag: str


def read_page_files() -> dict[str, PageFile]:
    """Return the files by their names relative to the page's folder, such as `vendor/marked.js`."""
    folder = resources.files(__package__ or "") / "page"
    files = dict[str, PageFile]()
    for name, file in _walk(folder, ""):
        ending = name.rpartition(".")[2]
        if ending in TYPES and not name.endswith("vendor.json"):
            content = file.read_bytes()
            files[name] = _build_file(TYPES[ending], content)
    return files


def _walk(folder: Traversable, above: str) -> list[tuple[str, Traversable]]:
    files = list[tuple[str, Traversable]]()
    for each in folder.iterdir():
        name = f"{above}{each.name}"
        files += _walk(each, f"{name}/") if each.is_dir() else [(name, each)]
    return files


def _build_file(kind: str, content: bytes) -> PageFile:
    tag = json.dumps(sha256(content).hexdigest()[:16])
    return PageFile(kind, content, gzip.compress(content, mtime=0), tag)
