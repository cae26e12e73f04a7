"""The roles: what each may use. Its words are in `<role>.md` beside this file."""

from dataclasses import dataclass

from .state import RoleName

LOOKING = (
    "read_file",
    "list_files",
    "glob",
    "grep",
    "git_status",
    "git_diff",
    "git_log",
    "git_branch",
    "command_output",
    "webfetch",
)
TALKING = ("todowrite", "todoread", "todoclear", "ask_user", "attempt_completion")
EDITING = ("edit", "replace_in_file", "apply_patch", "write_file")
CHANGING = (*EDITING, "run_command")


@dataclass(frozen=True)
class Role:
    """One role and the names of the tools it is offered."""

    name: RoleName
    tools: tuple[str, ...]


ROLES: dict[RoleName, Role] = {
    "architect": Role("architect", (*LOOKING, *TALKING)),
    "coder": Role("coder", (*LOOKING, *CHANGING, *TALKING)),
    "tester": Role("tester", (*LOOKING, *CHANGING, *TALKING)),
    "build": Role(
        "build",
        (*LOOKING, *CHANGING, "todowrite", "todoread", "todoclear", "ask_user", "plan_enter"),
    ),
    "plan": Role(
        "plan",
        (
            *LOOKING,
            "write_file",
            "edit",
            "run_command",
            "ask_user",
            "plan_mode_respond",
            "plan_exit",
        ),
    ),
    "editor": Role("editor", (*LOOKING, *EDITING, "ask_user", "attempt_completion")),
}
