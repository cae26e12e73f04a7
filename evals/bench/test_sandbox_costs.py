from pathlib import Path

from confinement import needs_bubblewrap
from sandbox_costs import make_project, row_of


@needs_bubblewrap
def test_the_cost_of_a_command_is_measured(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project", 50)
    row = row_of("a command", project, 1e9, repetitions=3)
    assert row.figure > 0
    assert not row.missed
