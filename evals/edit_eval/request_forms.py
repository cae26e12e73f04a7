"""A request for `edit` as the other tools take it: SEARCH/REPLACE blocks, a diff, an envelope."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from patches import MARKERS, block, envelope, unified
from request import Request

OTHERS = ("replace_in_file", "apply_patch")
PIECES = {"exact_piece", "part_of_a_word", "end_of_a_word", "name_in_longer_names"}
"""Kinds whose text is not made of whole lines, which the other tools cannot ask for."""


def restated(kind: str, number: int, request: Request) -> list[Request]:
    """The request for each of the other tools that can be asked for it."""
    args = request.args
    if request.tool != "edit" or kind in PIECES or not isinstance(args.get("old_string"), str):
        return []
    if args.get("replace_all") or not args["old_string"].strip():
        return []
    old, new = lines_of(args["old_string"]), lines_of(args["new_string"])
    path = args["file_path"]
    forms = list[tuple[str, Mapping[str, Any]]]()
    if not any(line.startswith((*MARKERS, "***")) for line in (*old, *new)):
        forms.append(("replace_in_file", {"path": path, "diff": block(old, new)}))
    signed = with_signs(old, new)
    if any(line[0] != " " for line in signed):
        form = envelope if number % 2 else unified
        forms.append(("apply_patch", {"patch": form(path, [(signed, "@@")])}))
    return [replace(request, tool=tool, args=args, restated=True) for tool, args in forms]


def lines_of(text: str) -> list[str]:
    """The lines of a request; none of an empty one."""
    text = text.replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def with_signs(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The lines of a hunk."""
    lines = list[str]()
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += [f" {line}" for line in old[a:b]]
        else:
            lines += [f"-{line}" for line in old[a:b]] + [f"+{line}" for line in new[c:d]]
    return lines
