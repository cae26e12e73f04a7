"""Bash judges the shell analysis: what an unasked script removes."""

import random
from pathlib import Path

from confinement import needs_bubblewrap
from removals import find_removals_outside, make_project, select_unasked
from scripts import write_script

pytestmark = needs_bubblewrap


def test_unasked_script_removes_nothing_outside(tmp_path: Path) -> None:
    source, workspace = random.Random(11), make_project(tmp_path / "project")
    scripts = [write_script(source) for _ in range(400)]
    unasked = select_unasked(scripts, workspace)
    assert len(unasked) > 40
    assert list(find_removals_outside(unasked, workspace)) == []


def test_removal_outside_is_found(tmp_path: Path) -> None:
    workspace = make_project(tmp_path / "project")
    scripts = ["cd /usr; rm -rf lib", "d=/etc; f() { d=$1; }; f out; rm -rf $d", "rm -rf $unset/x"]
    found = list(find_removals_outside(scripts, workspace))
    assert [line.rsplit(" ", 1)[1] for line in found] == ["/usr/lib", "/x"]
