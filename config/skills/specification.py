"""The rules of the Agent Skills specification for a `SKILL.md`, as its validator applies them."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..text import text
from ..yaml.reader import compose_tree

KEYS = ("allowed-tools", "compatibility", "description", "license", "metadata", "name")
# A value such as `!!str x`
_TAG = re.compile(r"^[^#\n]*(?::|-)[ \t]+!", re.MULTILINE)
MAX_NAME_LENGTH, MAX_DESCRIPTION_LENGTH, MAX_COMPATIBILITY_LENGTH = 64, 1_024, 500


def find_problems(file: Path, content: bytes) -> list[str]:
    """Return what breaks a rule in the file's bytes; empty for a valid skill."""
    try:
        written = content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return ["it is not UTF-8 text"]
    if written.startswith("\ufeff"):
        return ["it begins with a byte order mark (BOM); save it as UTF-8 without one"]
    first, _, below = written.partition("\n")
    if first.rstrip() != "---":
        return ["it has no front matter: the first line must be `---`"]
    above, end, _ = f"\n{below}".partition("\n---")
    if not end:
        return ["the front matter has no end: a line `---` is missing"]
    try:
        values = _read_values(above)
    except UsageError as error:
        return [error.message]
    except Exception as error:  # ruamel has errors of many types
        reason = str(getattr(error, "problem", None) or error).partition("\n")[0]
        return [text("the front matter is not valid YAML: {reason}", reason=reason)]
    return [*_find_value_problems(values, file.absolute().parent.name)]


def find_name_problems(name: str, folder: str) -> Iterator[str]:
    """Yield what is wrong with the name of a skill in a folder of this name."""
    plain = unicodedata.normalize("NFKC", name.strip())
    if len(plain) > MAX_NAME_LENGTH:
        yield text("the name has more than {limit} characters", limit=MAX_NAME_LENGTH)
    if plain != plain.lower():
        yield text("the name `{name}` has capital letters", name=plain[:80])
    if plain.startswith("-") or plain.endswith("-") or "--" in plain:
        yield text("the name `{name}` has a misplaced hyphen", name=plain[:80])
    if not all(letter.isalnum() or letter == "-" for letter in plain):
        yield text("the name `{name}` must have only letters, digits and hyphens", name=plain[:80])
    if unicodedata.normalize("NFKC", folder) != plain:
        yield text(
            "the name `{name}` is not that of its folder, `{folder}`",
            name=plain[:80],
            folder=folder,
        )


def _find_value_problems(values: Mapping[str, str | None], folder: str) -> Iterator[str]:
    for key in sorted(values.keys() - set(KEYS)):
        yield text("`{key}` is not a key of the specification", key=key)
    for key in ("name", "description"):
        if key not in values:
            yield text("`{key}` is missing", key=key)
        elif not (values[key] or "").strip():
            yield text("`{key}` must be text that is not empty", key=key)
    if name := (values.get("name") or "").strip():
        yield from find_name_problems(name, folder)
    limits = {"description": MAX_DESCRIPTION_LENGTH, "compatibility": MAX_COMPATIBILITY_LENGTH}
    for key, limit in limits.items():
        if len(values.get(key) or "") > limit:
            yield text("`{key}` has more than {limit} characters", key=key, limit=limit)
    if values.get("compatibility", "") is None:
        yield text("`{key}` must be text", key="compatibility")


def _read_values(above: str) -> dict[str, str | None]:
    """Return the text of each value, None for a list or mapping; every scalar counts as text.

    Raises UsageError for YAML that the specification's validator does not take.
    """
    root = compose_tree(above)
    if root is None or root.id != "mapping":
        raise UsageError("the front matter must be a mapping")
    if _TAG.search(above):
        raise UsageError("the front matter has YAML anchors or tags")
    _check_plain(root)
    return {
        str(key.value): value.value if value.id == "scalar" else None for key, value in root.value
    }


def _check_plain(node: Any) -> None:
    """Raise UsageError for anchors, values on one line such as `[a]`, and a key set twice."""
    if node.anchor:
        raise UsageError("the front matter has YAML anchors or tags")
    if node.id != "scalar" and node.flow_style:
        raise UsageError(
            "the front matter has a list or mapping on one line; write one value a line"
        )
    if node.id == "sequence":
        for item in node.value:
            _check_plain(item)
    elif node.id == "mapping":
        keys = [str(key.value) for key, _ in node.value]
        if len({*keys}) < len(keys):
            raise UsageError("the front matter sets a key twice")
        for _, value in node.value:
            _check_plain(value)
