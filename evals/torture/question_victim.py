"""A process that opens one real question after another at its terminal: a kind a line on `argv[1]`.

Each answer is a line of JSON on `argv[2]`.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import typer

from maxagent.cli.options import OutputFormat
from maxagent.cli.prompts.choice import confirm, confirm_abandon
from maxagent.cli.prompts.interrupts import ask_question
from maxagent.cli.prompts.trust import settle_trust
from maxagent.cli.repl.slash.files import confirm_commit
from maxagent.config import paths
from maxagent.config.trust.decision import check_trust
from maxagent.sdk.events import Question

DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
TESTS = {"command": "python3 -m pytest"}
CALL = {"name": "run_command", "args": TESTS, "always": "run_command(python3 -m pytest:*)"}
EDIT = {"name": "edit", "args": {"file_path": "a.py"}, "always": "edit(/a.py)", "diff": DIFF}
PUSH = {"name": "run_command", "args": {"command": "git push", "outside_sandbox": True}}
DEARER = {"from": "a/b", "to": "c/d", "reason": "overload", "price_before": None}
FORM = {"properties": {"size": {"type": "string", "enum": ["small", "large"]}}}
REQUESTS: dict[str, list[dict[str, Any]]] = {
    "call": [CALL],
    "edit": [EDIT],
    "outside": [PUSH],
    "several": [CALL, EDIT],
    "review": [{"name": "review", "args": {"outcome": "verified"}}],
    "pull request": [{"name": "pull_request", "args": {"title": "x"}, "diff": DIFF}],
    "plan": [{"name": "plan_exit", "args": {"plan": "p.md", "text": "1. all"}}],
    "plan mode": [{"name": "plan_enter", "args": {"reason": "it is large"}}],
    "dearer model": [{"name": "change_model", "args": {**DEARER, "price_after": None}}],
    "form": [{"name": "mcp_shop_order", "args": {}, "form": FORM}],
    "page": [{"name": "mcp_shop_order", "args": {}, "url": "https://shop.example/"}],
    "options": [{"name": "ask_user", "args": {"question": "Which?", "options": ["yes", "undo"]}}],
}


def ask_request(kind: str) -> dict[str, Any] | None:
    requests = [{"description": "why", **request} for request in REQUESTS[kind]]
    allowed = ["respond"] if kind == "options" else ["approve", "edit", "reject", "respond"]
    configs = [{"action_name": one["name"], "allowed_decisions": allowed} for one in requests]
    answer = ask_question(Question("t", "i", "approval", requests, configs))
    return dict(answer.decisions[0]) if answer else None


def ask_trust() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "AGENTS.md").write_text("x")
        settle_trust(Path(folder), yes=False, output=OutputFormat.text, tests=False)
        return {"consent": check_trust(Path(folder), paths.locate_home()).trusted}


def ask_commit() -> dict[str, Any]:
    lists = {name: [] for name in ("mixed", "whole", "secrets", "unsearched", "hooks")}
    planned = SimpleNamespace(diff=DIFF, **lists)
    return {"consent": bool(confirm_commit(cast("Any", planned), "A message."))}


OTHERS: dict[str, Callable[[], dict[str, Any]]] = {
    "confirm": lambda: {"consent": confirm("Continue?")},
    "unfinished": lambda: {"consent": confirm_abandon("it was cut short") in (True, False)},
    "trust": ask_trust,
    "commit": ask_commit,
}


def main() -> None:
    with open(int(sys.argv[1])) as kinds, os.fdopen(int(sys.argv[2]), "w") as answers:
        answers.write("ready\n")
        answers.flush()
        for line in kinds:
            kind = line.strip()
            try:
                with redirect_stdout(sys.stderr):
                    answer = OTHERS[kind]() if kind in OTHERS else ask_request(kind)
            except typer.Exit:
                answer = None
            answers.write(f"{json.dumps(answer)}\n")
            answers.flush()


if __name__ == "__main__":
    main()
