"""Every path of the corpus through every tool, by the door that people and programs use."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from path_project import HIDDEN, PLAIN, SECRET, PathProject
from ruamel.yaml import YAML

CORPUS = YAML(typ="safe").load(Path(__file__).with_name("paths.yaml"))
SECONDS = 240
"""Far more than all of it takes; a tool that hangs takes longer."""

ADDED = "*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"
CHANGED = "*** Begin Patch\n*** Update File: {path}\n@@\n-plain\n+x\n*** End Patch\n"
REMOVED = "*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n"
BLOCK = "<<<<<<< SEARCH\nplain\n=======\nx\n>>>>>>> REPLACE\n"
READING: list[tuple[str, dict[str, object]]] = [
    ("read_file", {"path": "{path}"}),
    ("grep", {"regex": ".", "path": "{path}"}),
    ("list_files", {"path": "{path}"}),
    ("list_code_definitions", {"path": "{path}"}),
    ("git_diff", {"path": "{path}"}),
    ("git_log", {"path": "{path}"}),
]
WRITING: list[tuple[str, dict[str, object]]] = [
    ("write_file", {"path": "{path}", "content": "x"}),
    ("edit", {"file_path": "{path}", "old_string": "", "new_string": "x"}),
    ("edit", {"file_path": "{path}", "old_string": "plain", "new_string": "x"}),
    ("replace_in_file", {"path": "{path}", "diff": BLOCK}),
    ("apply_patch", {"patch": ADDED}),
    ("apply_patch", {"patch": CHANGED}),
    ("apply_patch", {"patch": REMOVED}),
]
RUNNING: list[tuple[str, dict[str, object]]] = [
    ("run_command", {"command": "true", "cwd": "{path}"}),
]


@dataclass(frozen=True)
class Case:
    """One call, and what has to come of it."""

    tool: str
    args: dict[str, object]
    expect: str
    shows: str = ""


def cases(project: PathProject) -> Iterator[Case]:
    """All of them, in an order in which none spoils another."""
    for tool, args, expect, *shows in CORPUS["cases"]:
        filled = {
            key: project.filled(argument) if isinstance(argument, str) else argument
            for key, argument in args.items()
        }
        yield Case(tool, filled, expect, *shows)
    for patch in CORPUS["patches"]:
        yield Case("apply_patch", {"patch": project.filled(patch["patch"])}, patch["expect"])
    for kind in ("outside", "secret", "strange"):
        for path in map(project.filled, CORPUS[kind]):
            tools = [*READING[: 4 if kind == "strange" else None], *WRITING, *RUNNING]
            yield from (Case(tool, _with(args, path), "deny") for tool, args in tools)
    for path in CORPUS["literal"]:
        yield Case("read_file", {"path": path}, "deny")
        yield Case("write_file", {"path": path, "content": "x"}, "allow", "Created")
        yield Case("apply_patch", {"patch": REMOVED.format(path=path)}, "allow")
    for path in map(project.filled, CORPUS["protected"]):
        yield from (Case(tool, _with(args, path), "ask") for tool, args in WRITING)
    for path in map(project.filled, CORPUS["free"]):
        yield Case("read_file", {"path": path}, "allow", PLAIN.strip())
        yield Case("grep", {"regex": "plain", "path": path}, "allow", "plain")
        edit = {"file_path": path, "old_string": "plain", "new_string": "plainer"}
        yield Case("edit", edit, "allow", "Edited")
        back = {"file_path": path, "old_string": "plainer", "new_string": "plain"}
        yield Case("edit", back, "allow", "Edited")


def _with(args: dict[str, object], path: str) -> dict[str, object]:
    return {key: str(argument).replace("{path}", path) for key, argument in args.items()}


def answers(project: PathProject, calls: list[Case]) -> list[dict[str, Any]]:
    """What `mcode tools call` says to each, in mode `auto`."""
    lines = [json.dumps({"tool": case.tool, "args": case.args}) for case in calls]
    home = project.outside.parent / "home"
    call = [sys.executable, "-P", "-m", "maxagent", "tools", "call", "--stdin", "--mode", "auto"]
    done = subprocess.run(
        call,
        input="\n".join(lines).encode(),
        cwd=project.root,
        env={**os.environ, "HOME": str(home), "MAXAGENT_HOME": str(home.parent / "data")},
        capture_output=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0 and SECRET.encode() not in done.stderr, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> PathProject:
    return PathProject(tmp_path_factory.mktemp("paths"), CORPUS["free"])


@pytest.fixture(scope="module")
def outcomes(project: PathProject) -> list[tuple[Case, dict[str, Any]]]:
    """Every case and its answer; before and after, what must not change is the same."""
    calls, before = list(cases(project)), project.untouchable()
    output = answers(project, calls)
    assert project.untouchable() == before
    return list(zip(calls, output, strict=True))


def outcome(answer: dict[str, Any]) -> str:
    if (answer["decision"] or {}).get("verdict") == "ask":
        return "ask"
    return "allow" if answer["ok"] else "deny"


def test_every_path_gets_its_expected_verdict(outcomes) -> None:
    wrong = [
        (case.tool, case.args, f"{outcome(answer)} instead of {case.expect}", answer["error"][:120])
        for case, answer in outcomes
        if outcome(answer) != case.expect or case.shows not in answer["output"]
    ]
    assert wrong == []
    assert len(outcomes) > 1500


def test_no_secret_is_in_any_answer(outcomes) -> None:
    asked_for = [
        (case, json.dumps(answer)) for case, answer in outcomes if SECRET not in str(case.args)
    ]
    assert [(case.tool, case.args, output) for case, output in asked_for if SECRET in output] == []
    unnamed = [(case, output) for case, output in asked_for if HIDDEN not in str(case.args)]
    assert [(case.tool, case.args, output) for case, output in unnamed if HIDDEN in output] == []


def test_what_was_refused_or_never_answered_made_nothing(outcomes, project: PathProject) -> None:
    made = ["not-made.txt", "new-link", "module", "shown.txt", "copied.txt", ".git/hooks/zzz"]
    assert [name for name in made if os.path.lexists(project.root / name)] == []
    assert (project.root / "moved.txt").read_text() == PLAIN


def test_refusal_does_not_reveal_whether_file_exists(project: PathProject, outcomes) -> None:
    there = ["secrets/zebra.txt", "server.pem", "llc/zebra.txt"]
    absent = [path.replace("zebra", "zebrb").replace("server", "servex") for path in there]
    calls = [
        Case(tool, _with(args, path), "deny")
        for path in there + absent
        for tool, args in READING + WRITING
    ]
    output = [answer["error"] for answer in answers(project, calls)]
    half = len(output) // 2
    renamed = [text.replace("zebrb", "zebra").replace("servex", "server") for text in output[half:]]
    assert output[:half] == renamed
