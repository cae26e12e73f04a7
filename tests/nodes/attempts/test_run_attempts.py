import pytest

from maxagent.memory.snapshots.file_version import ABSENT, FileVersion, PathChange
from maxagent.nodes.attempts.run_attempts import (
    count_lines,
    find_changed_tests,
    is_test_path,
    mark_kept_attempt,
    rank_attempts,
)
from maxagent.nodes.state import AttemptResult

ONE, TWO = FileVersion("100644", "1" * 40), FileVersion("100644", "2" * 40)


def result(number: int, lines: int, *tests: str, outcome: str = "verified") -> AttemptResult:
    return AttemptResult(
        number=number,
        thread_id=str(number),
        model="",
        outcome=outcome,
        reason="" if outcome == "verified" else "its tests are red",
        kept=False,
        lines=lines,
        tests_changed=list(tests),
        summary="",
        evidence=None,
    )


@pytest.mark.parametrize(
    ("results", "kept"),
    [
        ([result(1, 5), result(2, 3)], 2),
        ([result(1, 3), result(2, 3)], 1),
        ([result(1, 1, "test_a.py"), result(2, 90)], 2),
        ([result(1, 1, "test_a.py"), result(2, 2, outcome="failed")], 1),
        ([result(1, 1, outcome="unverified"), result(2, 2)], 2),
        ([result(1, 1, outcome="failed"), result(2, 2, outcome="")], None),
        ([], None),
    ],
)
def test_smallest_green_attempt_wins(results: list[AttemptResult], kept: int | None) -> None:
    best = rank_attempts(results)
    assert (best and best["number"]) == kept
    assert [one["number"] for one in mark_kept_attempt(results) if one["kept"]] == [kept] * bool(
        kept
    )


def test_each_attempt_has_a_reason() -> None:
    results = [result(1, 9), result(2, 2), result(3, 2), result(4, 1, "tests/a.js")]
    reasons = [
        one["reason"] for one in mark_kept_attempt([*results, result(5, 1, outcome="failed")])
    ]
    assert reasons == [
        "it breaks no test, but attempt 2 changes fewer lines",
        "it breaks no test, and no other attempt changes fewer lines: 2 lines",
        "it breaks no test, but attempt 2 changes as few lines and comes first",
        "it changed existing tests: `tests/a.js`",
        "its tests are red",
    ]
    (only,) = mark_kept_attempt([result(1, 1, "a_test.go")])
    assert only[
        "reason"
    ] == "no other attempt passes its tests, but it changed existing tests: " + ("`a_test.go`")


def test_lines_of_a_diff_are_counted_without_heads() -> None:
    diff = (
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n---x\n+new\n++++y\n"
        "diff --git a/y b/y\nnew file mode 100644\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+one\n"
        "diff --git a/z b/z\nBinary files a/z and b/z differ\n"
    )
    assert count_lines(diff) == 6
    assert count_lines("") == 0


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("test_a.py", True),
        ("pkg/a_test.go", True),
        ("src/a.test.ts", True),
        ("src/a-spec.js", True),
        ("tests/data/x.json", True),
        ("src/__tests__/a.js", True),
        ("conftest.py", True),
        ("ATest.java", True),
        ("src/a.py", False),
        ("latest.py", False),
        ("contest/entry.py", False),
        ("src/testing.rs", False),
    ],
)
def test_tests_are_recognized_by_their_names(path: str, is_test: bool) -> None:
    assert is_test_path(path) is is_test


def test_new_tests_are_no_changed_ones() -> None:
    changes = [
        PathChange("test_new.py", ABSENT, ONE),
        PathChange("test_old.py", ONE, TWO),
        PathChange("tests/gone.py", ONE, ABSENT),
        PathChange("a.py", ONE, TWO),
    ]
    assert find_changed_tests(changes) == ["test_old.py", "tests/gone.py"]
