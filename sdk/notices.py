"""What the user should know before a task begins: what is missing here, and what that costs."""

from collections.abc import Sequence
from pathlib import Path

from ..memory.snapshots import Snapshots

DAMAGED = "the database was damaged: it is kept aside as `{path}`, and a new one has been begun"
PROJECT_SETS = "this project's `.llc.yaml` sets {keys}"
NO_GIT = (
    "git is not installed: changes cannot be shown or undone, and evidence is not tied to the files"
)
NO_REPOSITORY = (
    "`{folder}` is in no git repository: the task's own changes can be shown and undone, but there "
    "is no history and no commit to compare with"
)


def notices(folder: Path, set_aside: Path | None, from_project: Sequence[str] = ()) -> list[str]:
    """One line for each thing; `set_aside` is where a damaged database went.

    `from_project` names the project's own settings of endpoints, permissions and commands.
    """
    told = [DAMAGED.format(path=set_aside)] if set_aside else []
    if from_project:
        told.append(PROJECT_SETS.format(keys=", ".join(from_project)))
    if not Snapshots.available():
        return [*told, NO_GIT]
    if not any((place / ".git").exists() for place in (folder, *folder.parents)):
        told.append(NO_REPOSITORY.format(folder=folder))
    return told
