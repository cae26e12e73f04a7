# pyright: basic, reportMissingImports=false
"""Read trajectories with Harbor's own models; runs in Harbor's environment.

    python atif_check.py FILE…

Prints of each, and of its sub-agents, ID and steps; exit code 1 where a model refuses one.
"""

import sys
from pathlib import Path

from harbor.models.trajectories import Trajectory
from pydantic import ValidationError


def main() -> int:
    """Check all files."""
    for file in sys.argv[1:]:
        try:
            trajectory = Trajectory.model_validate_json(Path(file).read_text("utf-8"))
        except ValidationError as error:
            print(f"{file}: {error}")
            return 1
        for each in (trajectory, *(trajectory.subagent_trajectories or ())):
            print(f"{each.schema_version} {each.trajectory_id} {len(each.steps)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
