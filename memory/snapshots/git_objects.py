"""Git's objects, read and written without git, in a store that git can use later.

An object is one compressed file, named by its content: `git help gitformat-loose`. Objects that git
has packed cannot be read here.
"""

import hashlib
import os
import secrets
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from ...config.errors import MaxAgentError
from ...config.security.private_files import make_private_folder, open_private
from ...config.text import text
from .file_version import ABSENT, FILE, FileVersion, PathChange
from .permissions import ENTRY

_FOLDER = "40000"
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


class MissingObjectError(MaxAgentError):
    """A snapshot's object no longer exists, because the store was deleted or damaged."""


def write_object(objects: Path, kind: str, content: bytes) -> str:
    """Store the object, synced to disk, unless it exists; return its ID.

    Raises OSError.
    """
    whole = b"%s %d\0" % (kind.encode(), len(content)) + content
    name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    place = objects / name[:2] / name[2:]
    if touch_object(objects, name):
        return name
    make_private_folder(place.parent)
    temporary = place.with_name(f"tmp_obj_{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb", opener=open_private) as file:
            file.write(zlib.compress(whole, 1))
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o400)
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return name


def touch_object(objects: Path, name: str) -> bool:
    """Keep the object from `garbage_collection.prune_store` for a while; False if it is gone."""
    try:
        os.utime(objects / name[:2] / name[2:])
    except FileNotFoundError:
        return False
    return True


def read_object(objects: Path, kind: str, name: str) -> bytes:
    """Return an object's content; raises MissingObjectError, or MaxAgentError for another kind."""
    try:
        whole = zlib.decompress((objects / name[:2] / name[2:]).read_bytes())
    except (OSError, zlib.error) as error:
        message = text("the snapshots have lost a {kind}: {name}", kind=kind, name=name)
        raise MissingObjectError(message, hint="if git made it, install git again") from error
    head, _, content = whole.partition(b"\0")
    if head != b"%s %d" % (kind.encode(), len(content)):
        raise MaxAgentError(text("{name} is not a {kind}", name=name, kind=kind))
    return content


def write_tree(objects: Path, files: Mapping[bytes, FileVersion]) -> str:
    """Store the tree of these files, with the trees of their folders; return its ID."""
    entries: dict[bytes, tuple[str, str]] = {}
    folders: dict[bytes, dict[bytes, FileVersion]] = {}
    for path, version in files.items():
        name, slash, rest = path.partition(b"/")
        if slash:
            folders.setdefault(name, {})[rest] = version
        else:
            entries[name] = (version.mode, version.blob)
    for name, below in folders.items():
        entries[name + b"/"] = (_FOLDER, write_tree(objects, below))
    lines = (
        mode.encode() + b" " + name.rstrip(b"/") + b"\0" + bytes.fromhex(blob)
        for name, (mode, blob) in sorted(entries.items())
    )
    return write_object(objects, "tree", b"".join(lines))


def read_tree(objects: Path, tree: str, above: bytes = b"") -> dict[bytes, FileVersion]:
    """Return the files of a tree, by path."""
    files: dict[bytes, FileVersion] = {}
    for mode, name, inner in _parse_entries(read_object(objects, "tree", tree)):
        if mode == _FOLDER:
            files |= read_tree(objects, inner, above + name + b"/")
        else:
            files[above + name] = FileVersion(mode, inner)
    return files


def list_tree_changes(objects: Path, old: str, new: str) -> list[PathChange]:
    """Return the files in which two snapshots differ, sorted by path."""
    changes = _diff_trees(objects, old, new, b"")
    files = (change for change in changes if os.fsencode(change.path) != ENTRY)
    return sorted(files, key=lambda change: change.path)


def _diff_trees(objects: Path, old: str, new: str, above: bytes) -> Iterator[PathChange]:
    """Return the paths in which two trees differ; folders that are equal are not read."""
    before, after = (_read_entries(objects, tree) for tree in (old, new))
    for name in sorted(before.keys() | after.keys()):
        was, now = before.get(name, ABSENT), after.get(name, ABSENT)
        if was == now:
            continue
        was_tree, now_tree = (it.blob if it.mode == _FOLDER else EMPTY_TREE for it in (was, now))
        if was_tree != now_tree:
            yield from _diff_trees(objects, was_tree, now_tree, above + name + b"/")
        was, now = (ABSENT if it.mode == _FOLDER else it for it in (was, now))
        if was != now:
            yield PathChange(os.fsdecode(above + name), was, now)


def _read_entries(objects: Path, tree: str) -> dict[bytes, FileVersion]:
    """Return the versions of a tree's entries, also of folders, by name."""
    content = b"" if tree == EMPTY_TREE else read_object(objects, "tree", tree)
    return {name: FileVersion(mode, inner) for mode, name, inner in _parse_entries(content)}


def add_entry(tree: bytes, name: bytes, blob: str) -> bytes:
    """Return the content of a tree with one more blob in it."""
    entries = {
        each + b"/" * (mode == _FOLDER): (mode, each, inner)
        for mode, each, inner in _parse_entries(tree)
    }
    entries[name] = (FILE, name, blob)
    return b"".join(
        mode.encode() + b" " + each + b"\0" + bytes.fromhex(inner)
        for _, (mode, each, inner) in sorted(entries.items())
    )


def collect_object_ids(objects: Path, names: Iterable[str]) -> set[str]:
    """Return the IDs of trees and blobs and of everything in these trees; skip missing objects."""
    object_ids, pending = set[str](), list(names)
    while pending:
        name = pending.pop()
        if name in object_ids:
            continue
        object_ids.add(name)
        with suppress(MaxAgentError):  # a blob, or missing
            for mode, _, inner in _parse_entries(read_object(objects, "tree", name)):
                (pending.append if mode == _FOLDER else object_ids.add)(inner)
    return object_ids


def _parse_entries(tree: bytes) -> Iterator[tuple[str, bytes, str]]:
    """Return mode, name and ID of each entry."""
    at = 0
    while at < len(tree):
        end = tree.index(b"\0", at)
        mode, name = tree[at:end].split(b" ", 1)
        at = end + 21
        yield mode.decode(), name, tree[end + 1 : at].hex()
