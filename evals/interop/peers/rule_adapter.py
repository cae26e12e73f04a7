"""Rules of other agents, and patterns as in `.gitignore`, with our rules.

A case of `rules`: `rule` (without its kind), `tool` (ours; `run_command` if none), `matches` and
`others`: what the rule matches there, and what it does not. Each is tried with a rule that denies
and with one that allows; `parts` are lines of which a part matches: only with one that denies.
`denied`, `asked` (mappings of a value to a reason): where we deny more, and allow less. `open`:
values that a rule of ours does not mean, with the reason. `stops`: the reason why the rule stops at
load. `server`: the MCP server. `folder`: one that the project has.

A case of `globs`: `pattern` and `paths`; git says what it matches, in a repository of its own.
`wider`: paths that a rule denies though git does not ignore them, with the reason.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from peer_suite import DIFFERENT, SAME, UNNAMED, WRONG, Outcome, PeerSuite

from maxagent.config.errors import UsageError
from maxagent.config.settings.permission_rules import RawRule, RuleKind
from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.permissions.policy import Policy, read_rules
from maxagent.tools.workspace import Workspace

ARGUMENTS = {"run_command": "command", "webfetch": "url"}
EFFECTS = {
    "run_command": "execute",
    "webfetch": "fetch",
    "edit": "edit",
    "write_file": "edit",
    "apply_patch": "edit",
}


def play_rules(suite: PeerSuite, folder: Path) -> Iterator[Outcome]:
    """Try each rule with each call, denying and allowing."""
    folder.mkdir(parents=True, exist_ok=True)
    workspace = Workspace(folder)
    for raw in suite.cases:
        (folder / raw.get("folder", "")).mkdir(exist_ok=True)
        kinds: tuple[RuleKind, ...] = ("deny", "allow")
        for kind in kinds:
            yield from _play_rule(raw, kind, workspace)


def _play_rule(raw: dict[str, Any], kind: RuleKind, workspace: Workspace) -> Iterator[Outcome]:
    calls = [(call, True) for call in raw.get("matches", ())]
    calls += [(call, False) for call in raw.get("others", ())]
    calls += [(call, True) for call in raw.get("parts", ()) if kind == "deny"]
    try:
        rules = read_rules([RawRule(kind, raw["rule"], "peers")], workspace)
    except UsageError as error:
        stops = raw.get("stops", "")
        fate = DIFFERENT if stops else UNNAMED
        yield from (
            Outcome(f"{kind} {raw['rule']}: {call}", fate, stops, str(error)) for call, _ in calls
        )
        return
    for call, is_match in calls:
        verdict = _decide(raw, call, Policy("auto" if kind == "deny" else "ask", rules), workspace)
        usual = _decide(raw, call, Policy("auto" if kind == "deny" else "ask"), workspace)
        name = f"{kind} {raw['rule']}: {call}"
        yield _compare(name, kind, is_match, verdict, usual, raw)


def _compare(
    name: str, kind: RuleKind, is_match: bool, verdict: str, usual: str, raw: dict[str, Any]
) -> Outcome:
    call = name.partition(": ")[2]
    detail = f"{verdict}, {usual} without the rule"
    if kind == "deny":
        if is_match and verdict == "allow":
            reason = raw.get("open", {}).get(call, "")
            return Outcome(name, DIFFERENT if reason else WRONG, reason, detail)
        if is_match:
            return Outcome(name, SAME, detail=detail)
        return _name_excess(name, verdict == usual, raw.get("denied", {}).get(call, ""), detail)
    if not is_match:
        return Outcome(name, SAME if verdict == usual else WRONG, detail=detail)
    return _name_excess(name, verdict == "allow", raw.get("asked", {}).get(call, ""), detail)


def _name_excess(name: str, is_same: bool, reason: str, detail: str) -> Outcome:
    if is_same:
        return Outcome(name, UNNAMED if reason else SAME, detail=f"{detail}; no difference")
    return Outcome(name, DIFFERENT if reason else UNNAMED, reason, detail)


def _decide(raw: dict[str, Any], call: str, policy: Policy, workspace: Workspace) -> str:
    tool = raw.get("tool", "run_command")
    if tool == "mcp":
        server = raw["server"]
        policy = policy.with_servers([McpServer(server, "stdio", command="server")])
        return evaluate_call(call, "execute", {}, (), workspace, policy, server).verdict
    args = {ARGUMENTS.get(tool, "path"): call}
    paths = [] if tool in ARGUMENTS else [call]
    return evaluate_call(tool, EFFECTS.get(tool, "read"), args, paths, workspace, policy).verdict


def play_globs(suite: PeerSuite, folder: Path) -> Iterator[Outcome]:
    """Ask git what each pattern matches, and compare a rule that denies these files."""
    repository = folder / "repository"
    repository.mkdir(parents=True)
    run_git(repository, "init", "-q")
    workspace = Workspace(repository)
    for raw in suite.cases:
        pattern, paths = raw["pattern"], list(map(str, raw["paths"]))
        ignored = list_ignored(repository, pattern, paths)
        yield from _compare_globs(
            raw, pattern, {path: path in ignored for path in paths}, workspace
        )


def _compare_globs(
    raw: dict[str, Any], pattern: str, truth: Mapping[str, bool], workspace: Workspace
) -> Iterator[Outcome]:
    try:
        rules = read_rules([RawRule("deny", f"read_file({pattern})", "peers")], workspace)
    except UsageError as error:
        stops = raw.get("stops", "")
        for path in truth:
            fate = DIFFERENT if stops else UNNAMED
            yield Outcome(f"{pattern}: {path}", fate, stops, str(error))
        return
    for path, is_ignored in truth.items():
        call = {"tool": "read_file"}
        denied = _decide(call, path, Policy("auto", rules), workspace) == "deny"
        name = f"{pattern}: {path}"
        if denied == is_ignored:
            yield Outcome(name, SAME)
        elif is_ignored:
            yield Outcome(name, WRONG, detail="git ignores it, the rule does not deny it")
        else:
            reason = raw.get("wider", {}).get(path, "")
            yield Outcome(name, DIFFERENT if reason else UNNAMED, reason, "denied, not ignored")


def list_ignored(repository: Path, pattern: str, paths: list[str]) -> set[str]:
    """Return the paths that git ignores by this line of `.gitignore`."""
    (repository / ".gitignore").write_text(f"{pattern}\n", encoding="utf-8")
    lines = "".join(f"{path}\0" for path in paths)
    answer = run_git(repository, "check-ignore", "--no-index", "-z", "--stdin", stdin=lines)
    return {path for path in answer.split("\0") if path}


def run_git(repository: Path, *words: str, stdin: str = "") -> str:
    """Return what git prints; it reads no configuration but the repository's."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    ran = subprocess.run(
        ["git", *words],
        cwd=repository,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if ran.returncode > 1:  # 1: nothing is ignored
        raise RuntimeError(ran.stderr)
    return ran.stdout
