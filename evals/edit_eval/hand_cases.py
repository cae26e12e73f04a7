"""The hand-written cases: what is in `cases/*.yaml`, read and checked for form.

A file holds `texts` (anchors that cases share) and `cases`. A case says

    case        what must happen, in words; its name
    before      the file's text, or a mapping of paths to texts; null is a missing file
    file        its path when there is one; default `a.py`

and one call:

    old, new    `edit`; with `all: true` everywhere
    edits       `edit` with several pairs `[old, new]`
    blocks      `replace_in_file` with this text of SEARCH/REPLACE blocks
    patch       `apply_patch`
    content     `write_file`
    call        any other: {tool: …, args: {…}}

and what is right:

    after       as `before`; what is not named must be as it was
    refused     a text, or several, that the refusal must contain; digits are a whole number, `|`
                parts alternatives. Both `after` and `refused`: either is right
    says        the same for the answer to a call that was applied

and, when needed: `encoding` of every text (default utf-8; `latin-1` writes any byte),
`endings: crlf`, `unread: true`, `meanwhile` (paths and texts: what others did after the reading),
`modes` (path and octal text, checked afterwards), `links` (path and target, checked afterwards),
`follows: true` (the call is repeated after it was applied and must then be refused).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

FOLDER = Path(__file__).parent / "cases"
DEFAULT_FILE = "a.py"

Files = Mapping[str, bytes | None]
"""Paths in the project and their content; None: there is no such file."""

CALLS = {"old", "new", "all", "edits", "blocks", "patch", "content", "call"}
RIGHT = {"after", "refused", "says", "follows"}
CIRCUMSTANCES = {"encoding", "endings", "unread", "meanwhile", "modes", "links"}
KEYS = {"case", "before", "file"} | CALLS | RIGHT | CIRCUMSTANCES


class CaseError(Exception):
    """A case is not written as the docstring of this module says."""


@dataclass(frozen=True)
class Case:
    """One call on one small project, and what is right."""

    name: str
    topic: str
    """The name of its file."""
    files: Files
    tool: str
    args: Mapping[str, Any]
    after: Files | None
    """Files that must have become this; None: refusing is the only right answer."""
    refused: tuple[str, ...] | None
    """What the refusal must say; None: refusing is wrong."""
    says: tuple[str, ...] = ()
    read: bool = True
    meanwhile: Files | None = None
    modes: Mapping[str, int] | None = None
    links: Mapping[str, str] | None = None
    follows: bool = False


def cases(folder: Path = FOLDER) -> list[Case]:
    """All cases, by file and in their order; raises CaseError for one that is malformed."""
    found = [case for path in sorted(folder.glob("*.yaml")) for case in _cases_of(path)]
    names = [case.name for case in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise CaseError(f"several cases are called {twice}")
    return found


def _cases_of(path: Path) -> list[Case]:
    written = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    return [parse_case(path.stem, raw) for raw in written["cases"]]


def parse_case(topic: str, raw: dict[str, Any]) -> Case:
    """Read one case; raises CaseError for one that is malformed."""
    name = raw.get("case", "")
    if unknown := set(raw) - KEYS:
        raise CaseError(f"{topic}: {name}: unknown {sorted(unknown)}")
    if not name or ("after" not in raw and "refused" not in raw):
        raise CaseError(f"{topic}: {name}: a name, and `after` or `refused`, must be there")
    tool, args = _call(name, raw)
    return Case(
        name=name,
        topic=topic,
        files=_files(raw, raw.get("before")) if "before" in raw else {},
        tool=tool,
        args=args,
        after=_files(raw, raw["after"]) if "after" in raw else None,
        refused=_words(raw["refused"]) if "refused" in raw else None,
        says=_words(raw.get("says", [])),
        read=not raw.get("unread", False),
        meanwhile=_files(raw, raw["meanwhile"]) if "meanwhile" in raw else None,
        modes={path: int(mode, 8) for path, mode in raw.get("modes", {}).items()},
        links=raw.get("links", {}),
        follows=raw.get("follows", False),
    )


def _call(name: str, raw: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    file = raw.get("file", DEFAULT_FILE)
    found: list[tuple[str, dict[str, Any]]] = []
    if "old" in raw:
        args = {"file_path": file, "old_string": raw["old"], "new_string": raw["new"]}
        found.append(("edit", {**args, **({"replace_all": True} if raw.get("all") else {})}))
    if "edits" in raw:
        pairs = [{"old_string": old, "new_string": new} for old, new in raw["edits"]]
        found.append(("edit", {"file_path": file, "edits": pairs}))
    if "blocks" in raw:
        found.append(("replace_in_file", {"path": file, "diff": raw["blocks"]}))
    if "patch" in raw:
        found.append(("apply_patch", {"patch": raw["patch"]}))
    if "content" in raw:
        found.append(("write_file", {"path": file, "content": raw["content"]}))
    if "call" in raw:
        found.append((raw["call"]["tool"], raw["call"]["args"]))
    if len(found) != 1:
        raise CaseError(f"{name}: {len(found)} calls")
    return found[0]


def _files(raw: dict[str, Any], texts: Any) -> dict[str, bytes | None]:
    if not isinstance(texts, dict):
        texts = {raw.get("file", DEFAULT_FILE): texts}
    return {path: _bytes(raw, text) for path, text in texts.items()}


def _bytes(raw: dict[str, Any], text: str | None) -> bytes | None:
    if text is None:
        return None
    if raw.get("endings") == "crlf":
        text = text.replace("\n", "\r\n")
    return text.encode(raw.get("encoding", "utf-8"))


def _words(said: Any) -> tuple[str, ...]:
    return tuple(map(str, said if isinstance(said, list) else [said]))
