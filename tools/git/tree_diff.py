"""The difference of two commits or trees: its files, and its lines as they are.

No attribute and no size hides a line: what is no text is named by its kind.
"""

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .content_secrets import decode_wide, find_content_secrets, is_text
from .objects import GitObject, describe_objects, read_objects
from .user_git import UserGit

# A patch with all of its lines, whatever the repository is configured to show
PATCH_FLAGS = ("-p", "--text", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
# Bytes of a file that is shown
MAX_SHOWN = 20_000_000
# Paths on a command line, each of at most 4 kB
PORTION = 100
_KINDS = {b"A": "added", b"D": "deleted"}
_SUBMODULE = "160000"
# First bytes of kinds of files
_FILE_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"RIFF", "RIFF media"),
    (b"\0\0\1\0", "icon"),
    (b"%PDF", "PDF"),
    (b"\x7fELF", "program (ELF)"),
    (b"MZ", "program (Windows)"),
    (b"\xcf\xfa\xed\xfe", "program (macOS)"),
    (b"\0asm", "WebAssembly"),
    (b"SQLite format 3", "SQLite database"),
    (b"wOF", "font"),
    (b"\0\1\0\0", "font"),
    (b"OTTO", "font"),
    (b"PK\3\4", "zip archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\0", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"Rar!", "rar archive"),
)
# Characters that no text has, of each so many
_STRANGE_SHARE = 20
_BLANKS = "\n\r\t\f\x1b"


@dataclass(frozen=True)
class _Change:
    path: str
    letter: bytes
    old: GitObject
    new: GitObject
    is_submodule: bool


async def read_diff(git: UserGit, old: str, new: str) -> str:
    """Return the difference as a patch; a file that is no text is described."""
    described, texts = list[str](), list[str]()
    changes = await _list_raw(git, old, new)
    contents = await _read_contents(git, changes)
    for change in changes:
        pair = contents.get(change.old.id, b""), contents.get(change.new.id, b"")
        is_large = any(_exists(one) and one.id not in contents for one in (change.old, change.new))
        is_text = not is_large and all(name_kind(content) == "text" for content in pair)
        if change.is_submodule or is_text:
            texts.append(change.path)
        else:
            described.append("\n".join(_describe(change, *pair, is_large=is_large)) + "\n")
    patches = list[bytes]()
    for at in range(0, len(texts), PORTION):
        paths = [f":(top,literal){path}" for path in texts[at : at + PORTION]]
        patches.append(await git.read("diff-tree", "-r", *PATCH_FLAGS, old, new, "--", *paths))
    return b"".join(patches).decode("utf-8", "replace") + "".join(described)


async def list_changes(git: UserGit, old: str, new: str) -> tuple[Mapping[str, str], ...]:
    """Return `path` in the repository and `kind` of each file that differs."""
    return tuple(
        {"path": change.path, "kind": _KINDS.get(change.letter, "modified")}
        for change in await _list_raw(git, old, new)
    )


async def _list_raw(git: UserGit, old: str, new: str) -> list[_Change]:
    flags = ("-r", "-z", "--raw", "--no-renames", "--full-index")
    words = (await git.read("diff-tree", *flags, old, new)).split(b"\0")
    changes = list[_Change]()
    for described, path in zip(words[::2], words[1::2], strict=False):
        old_mode, new_mode, old_id, new_id, letter = described.decode().removeprefix(":").split()
        changes.append(
            _Change(
                os.fsdecode(path),
                letter.encode(),
                GitObject(old_id),
                GitObject(new_id),
                _SUBMODULE in (old_mode, new_mode),
            )
        )
    return changes


async def _read_contents(git: UserGit, changes: Sequence[_Change]) -> dict[str, bytes]:
    """Return the contents of the files by ID, but of very large ones."""
    files = [
        one for change in changes if not change.is_submodule for one in (change.old, change.new)
    ]
    wanted = list(dict.fromkeys(filter(_exists, files)))
    blobs = [one for one in await describe_objects(git, wanted) if one.kind == "blob"]
    contents = dict[str, bytes]()
    async for portion in read_objects(git, [one for one in blobs if one.size <= MAX_SHOWN]):
        contents |= {one.id: content for one, content in portion}
    return contents


def _exists(one: GitObject) -> bool:
    return bool(one.id.strip("0"))


def _describe(change: _Change, old: bytes, new: bytes, *, is_large: bool) -> Iterator[str]:
    """Yield what is shown of a file that is no text."""
    path = change.path
    yield f"diff --git a/{path} b/{path}"
    if change.letter in _KINDS:
        yield f"{_KINDS[change.letter]} file"
    if is_large:
        yield f"More than {MAX_SHOWN // 1_000_000} MB: not shown"
        return
    kinds = ", ".join(dict.fromkeys(name for _, name in find_content_secrets(new)))
    found = f"it looks like it has a secret: {kinds}" if kinds else "no secret found"
    yield f"Not plain text: {name_kind(new or old)}, {len(new or old)} bytes; {found}"
    texts = [decode_wide(content) if content else "" for content in (old, new)]
    if texts[0] is not None and texts[1] is not None:
        names = (f"a/{path}", f"b/{path}")
        yield from difflib.unified_diff(
            texts[0].splitlines(), texts[1].splitlines(), *names, lineterm=""
        )


def name_kind(content: bytes) -> str:
    """Return what a content is, such as `PNG image`; `text` for what can be shown as it is."""
    known = next((kind for start, kind in _FILE_KINDS if content.startswith(start)), "")
    if is_text(content) and not _has_strange_bytes(content):
        return "text"
    if known:
        return known
    return "UTF-16 text" if decode_wide(content) is not None else "binary"


def _has_strange_bytes(content: bytes) -> bool:
    decoded = content.decode("utf-8", "replace")
    strange = sum(
        letter == "\ufffd" or (letter < " " and letter not in _BLANKS) for letter in decoded
    )
    return strange * _STRANGE_SHARE > len(decoded)
