import re
from typing import Any

import pytest

from maxagent.config.errors import UsageError
from maxagent.nodes.options import Options
from maxagent.sdk.transfer.kept_fields import filter_options, find_dropped

BUILD = {"agent": "build", "speaker": "build", "plan": False}
LOOSE = {
    "mode": "auto", "apply": True, "base_url": "http://evil", "model": "scripted/x",
    "backup": False, "skip_tests": True, "max_turns": 10**9, "max_cost": 1e9,
    "schema": {"type": "object"}, "effort": "high", "thinking": "enabled",
    "served_model": "ollama/x", "memory": True, "pr": "yes", "best_of": 8, "models": ["x/y"],
    "goal": True, "workspace": "https://evil/x.git#main",
}  # fmt: skip


@pytest.mark.parametrize("graph", ["task", "edit", "chat"])
def test_nothing_that_loosens_a_thread_holds(graph: str) -> None:
    safe = filter_options(
        {**LOOSE, "files": ["a.py"], "agent": "mine", "speaker": "x"}, graph, "Hi"
    )
    saved = {"task": {}, "edit": {"files": ["a.py"]}, "chat": BUILD}
    assert safe == saved[graph]
    assert set(LOOSE) <= {*Options.__annotations__}


def test_every_option_there_is_has_been_thought_of() -> None:
    thought_of = {
        *LOOSE,
        "files",
        "tests_for",
        "plan",
        "plan_file",
        "agent",
        "speaker",
        "turn_model",
        "subagent",
        "sender",
        "aside",
        "mentioning",
    }
    assert set(Options.__annotations__) == thought_of


@pytest.mark.parametrize("value", [None, [], "auto", {"mode": ["read-only"]}, {"plan": "yes"}])
def test_what_is_no_option_is_none(value: Any) -> None:
    assert filter_options(value, "chat", "Hi") == BUILD


def test_what_is_stricter_stays() -> None:
    stricter = {"mode": "read-only", "memory": False, "tests_for": "src/cart.py"}
    assert filter_options(stricter, "task", "Hi") == stricter


@pytest.mark.parametrize(
    "plan_file",
    ["", None, "src/main.py", ".llc/plans/../../x.md", ".llc/plans/a/b.md", ".llc/plans/x.py", 7],
)
def test_plan_mode_keeps_only_valid_plan_file(plan_file: Any) -> None:
    own = filter_options({"plan": True, "plan_file": ".llc/plans/2026-a.md"}, "chat", "Hi")
    assert (own["plan"], own["speaker"]) == (True, "plan")
    assert own["plan_file"] == ".llc/plans/2026-a.md"
    new = filter_options({"plan": True, "plan_file": plan_file}, "chat", "Hi you")
    assert re.fullmatch(r"\.llc/plans/\d{8}-\d{6}-hi-you\.md", new["plan_file"])


@pytest.mark.parametrize("files", [None, [], "a.py", [1], ["/etc/passwd"], ["a", "../b"], ["a\0"]])
def test_an_edit_without_its_files_is_refused(files: Any) -> None:
    with pytest.raises(UsageError, match="has no list of files"):
        filter_options({"files": files}, "edit", "Hi")


def test_what_was_chosen_elsewhere_is_named() -> None:
    chosen: Any = {"mode": "auto", "model": "m", "plan": False, "apply": False, "\x1b": 1, 7: 1}
    chosen |= {"aside": ["told once"]}
    assert find_dropped(chosen, BUILD) == ["mode", "model"]
