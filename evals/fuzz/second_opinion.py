"""What another parser, shfmt, makes of a command line; and where it differs from the judge."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.workspace import Workspace

_BESIDE = Path(sys.executable).with_name("shfmt")
SHFMT = str(_BESIDE) if _BESIDE.exists() else shutil.which("shfmt")
RUIN = ("rm", "-rf", "/")
_COMMANDS = frozenset(["CallExpr", "DeclClause", "TestClause", "LetClause"])

Node = Mapping[str, Any]


def disagreement(line: str, workspace: Workspace) -> str:
    """What is wrong with the judgement of a line; empty where both parsers can live with it."""
    found = analyze_command(line, ".", workspace)
    if found.reason.startswith("the command could not be checked"):
        return found.reason
    seen = seen_by_shfmt(line) if found.plain or found.verdict != "deny" else None
    if found.plain or found.verdict == "allow":
        if seen is None:
            return "shfmt finds no sense in what is judged to be plain"
        ours = [command.words for command in found.commands]
        if len(ours) != len(seen):
            return f"{len(ours)} commands by the judge, {len(seen)} by shfmt"
        wrong = [pair for pair in zip(ours, seen, strict=True) if not _same(*pair)]
        if found.plain and wrong:
            return f"the words are {wrong[0][0]} to the judge, {wrong[0][1]} to shfmt"
    if RUIN in (seen or ()) and found.verdict not in ("deny", "ask"):
        return "shfmt finds a catastrophe that the judge does not"
    return ""


def seen_by_shfmt(line: str) -> list[tuple[str, ...]] | None:
    """The words of each command as shfmt finds them; None where it finds no sense."""
    done = subprocess.run(
        [str(SHFMT), "-ln", "bash", "-tojson"], input=line.encode(), capture_output=True
    )
    if done.returncode:
        return None
    nodes = _nodes(json.loads(done.stdout))
    return [_words(node) for node in nodes if node.get("Type") in _COMMANDS and _runs(node)]


def _same(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether words are the same, as far as shfmt tells; of a test in brackets it tells nothing."""
    if ours[:1] == ("[[",):
        return True
    texts = zip(ours, theirs, strict=False)
    return len(ours) == len(theirs) and all("\0" in b or a == b for a, b in texts)


def _runs(node: Node) -> bool:
    return node["Type"] != "CallExpr" or bool(node.get("Args"))


def _nodes(tree: object) -> Iterator[Node]:
    if isinstance(tree, Mapping):
        node = cast(Node, tree)
        yield node
        tree = list(node.values())
    for one in cast(list[object], tree) if isinstance(tree, list) else ():
        yield from _nodes(one)


def _words(command: Node) -> tuple[str, ...]:
    return tuple(
        "".join(_text(part) for part in word.get("Parts", ())) for word in command.get("Args", ())
    )


def _text(part: Node) -> str:
    match part["Type"]:
        case "Lit":
            return re.sub(r"\\\n|\\(.)", r"\1", str(part["Value"]), flags=re.DOTALL)
        case "SglQuoted" if not part.get("Dollar"):
            return str(part["Value"]) if "Value" in part else ""
        case "DblQuoted":
            inside = [one.get("Value", "\0") for one in part.get("Parts", ())]
            return re.sub(r"\\\n|\\([$`\"\\])", r"\1", "".join(inside))
        case _:
            return "\0"
