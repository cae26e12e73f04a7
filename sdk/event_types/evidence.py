"""Events of the tests of a change: their run, the evidence, the next round."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal


@dataclass(frozen=True)
class Verifying:
    """The graph starts the project's own tests."""

    type: ClassVar[Literal["verifying"]] = "verifying"
    command: str
    purpose: Literal["", "again", "before"] = ""
    """`again`: to find flaky tests; `before`: on the files before the change. The output of both is
    not shown."""


@dataclass(frozen=True)
class EvidenceFound:
    """The result of a test run, and the files that it tested."""

    type: ClassVar[Literal["evidence"]] = "evidence"
    command: str
    verdict: Literal["passed", "failed", "unverified"]
    reason: str
    exit_code: int | None
    passed: int | None
    failed: int | None
    errors: int | None
    skipped: int | None
    tree: str
    tail: str
    failing: list[str] = field(default_factory=list[str])
    """Names of the tests that failed, the first of them."""
    already_red: list[str] = field(default_factory=list[str])
    """Those that were red before the change, which do not count."""
    flaky: list[str] = field(default_factory=list[str])
    """Those that passed when they were run again; they count as passed."""


@dataclass(frozen=True)
class Repair:
    """The change goes back to the coder."""

    type: ClassVar[Literal["repair"]] = "repair"
    round: int
    of: int
