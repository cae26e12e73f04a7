"""What the end of a run does not show again."""

import pytest

from maxagent.cli.rendering.diffs.history import ShownDiffs

CHANGE = "--- a/cart.py\n+++ b/cart.py\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
GIT = "diff --git a/cart.py b/cart.py\nindex 1..2 100644\n"


@pytest.mark.parametrize(
    "end",
    [
        CHANGE,
        GIT + CHANGE,
        GIT + CHANGE.replace("@@\n", "@@ def total():\n"),
        GIT + "--- a/cart.py\n+++ b/cart.py\n@@ -2 +2 @@\n-two\n+2\n",
        GIT + CHANGE.replace("1,3 +1,3", "1,4 +1,4") + " four\n",
    ],
    ids=["same", "git header", "function", "no context", "more context"],
)
def test_a_shown_change_is_not_repeated(end: str) -> None:
    shown_diffs = ShownDiffs()
    shown_diffs.add(CHANGE)
    assert shown_diffs.filter_unshown(end) == ""


OTHERS = [
    GIT.replace("cart", "box") + CHANGE.replace("cart", "box"),
    GIT + CHANGE.replace("+2", "+two"),
    GIT + CHANGE.replace("-1,3 +1,3", "-5,3 +5,3"),
    GIT + CHANGE + "@@ -9 +9 @@\n-nine\n+9\n",
    GIT + CHANGE.replace(" three", "-three"),
    GIT + CHANGE.replace(" three", "\\ No newline at end of file"),
    "diff --git a/cart.py b/box.py\nsimilarity index 100%\nrename from cart.py\nrename to box.py\n",
]


@pytest.mark.parametrize("other", OTHERS)
def test_another_change_is_shown(other: str) -> None:
    shown_diffs = ShownDiffs()
    shown_diffs.add(CHANGE)
    shown_diffs.add("")
    assert shown_diffs.filter_unshown(other) == other
    if other.startswith(GIT):
        files = other + OTHERS[-1] + GIT + CHANGE
        assert shown_diffs.filter_unshown(files) == other + OTHERS[-1]
