"""Effects of a whole command line, for the modes that run some commands unasked.

Nothing is run. If an effect cannot be determined, the user is asked.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ....config.text import text
from ...protected_paths import find_protected_name
from ...workspace import Workspace
from ..analyzer import explain_side_effects
from ..parsing.command_line import CommandLine
from ..parsing.flags import NotReadOnlyError
from ..parsing.inline_code import find_removed_names
from ..parsing.path_targets import is_temporary
from ..parsing.shell_state import ShellState, Word
from ..parsing.simple_command import SimpleCommand
from ..readonly.classifier import find_program_name, list_reading_programs
from ..readonly.path_scope import PathScope
from ..readonly.special_programs import CHECKS
from ..readonly.tree_access import TraversalOptions, walk_files
from ..risks.copy_targets import parse_copy
from ..risks.protected_writes import find_written_names
from .file_changes import DELETES, EVERYDAY, UnknownChangeError, find_replaced_names
from .git_changes import find_history_change
from .sandbox_needs import Need, find_need, find_package_removal

# Programs that pass names to others that are known only at run time
_FEEDS = frozenset(["xargs", "parallel", "find", "fd", "fdfind"])
# Shell builtins that read the output of other commands into variables
_READ = frozenset(["read", "mapfile", "readarray"])
_SUBSTITUTION = re.compile(r"[$<>]\(|`")
_LEADS_OUT = re.compile(r"[/~]|(.*/)?\.\.(/|$)")
_ALL = TraversalOptions(lambda name: True, follows_links=True)


@dataclass(frozen=True)
class LineEffects:
    """Effects of a command line."""

    replaced: tuple[Path, ...] = ()
    """Real paths of files or folders that may be deleted or overwritten."""
    doubt: str = ""
    """Why undo could not restore the changes, or why they are unknown; empty if neither."""
    need: Need = ""
    """What it certainly needs from outside the sandbox."""
    needed_by: str = ""
    """The program that needs it."""
    more: str = ""
    """What it does besides reading and changing the named files inside the project."""


def analyze_effects(command: str, cwd: str, workspace: Workspace) -> LineEffects:
    """Determine the effects of a command line that runs in the folder `cwd` of the project."""
    folder = Path(os.path.normpath(workspace.root / cwd))
    line = CommandLine(command, ShellState(workspace.root, folder))
    steps = [step for step in line.steps if _has_effect(step, workspace)]
    needy = next((step for step in steps if not step.code and find_need(step)), None)
    doubt, replaced = "", list[Path]()
    try:
        fed = bool(_SUBSTITUTION.search(command)) or any(
            step.program in _READ for step in line.steps
        )
        replaced = [path for step in steps for path in _find_replaced_paths(step, line, fed=fed)]
    except UnknownChangeError as unknown:
        doubt = str(unknown)
    return LineEffects(
        replaced=tuple(dict.fromkeys(replaced)),
        doubt=doubt or next(filter(None, (_find_doubt(step, workspace) for step in steps)), ""),
        need=find_need(needy) if needy else "",
        needed_by=needy.program if needy else "",
        more=_find_more(line, steps, workspace),
    )


def _has_effect(step: SimpleCommand, workspace: Workspace) -> bool:
    """Return whether a step may do more than read; redirections are checked separately."""
    writes = any(redirect.writes for redirect in step.redirects)
    return writes or not step.words or bool(explain_side_effects(step.words, step, workspace))


def _find_doubt(step: SimpleCommand, workspace: Workspace) -> str:
    """Explain why a step must be asked in any sandbox; empty if there is no reason."""
    if step.words and not step.words[0].known:
        return text("`{text}` could be any program", text=step.words[0].text)
    if outside := _find_read_outside(step, workspace):
        return text("it reads `{path}`, outside the project", path=outside)
    if step.program == "git":
        return find_history_change([word.text for word in step.words[1:]])
    return find_package_removal(step)


def _find_read_outside(step: SimpleCommand, workspace: Workspace) -> str:
    """Return the path outside the project that a program reads; a sandbox allows reading it."""
    if step.folder is None or step.program not in list_reading_programs():
        return ""
    if not step.folder.is_relative_to(workspace.root) and not is_temporary(step.folder):
        return str(step.folder)
    names = (word.text for word in step.words[1:] if _LEADS_OUT.match(word.text))
    return next((name for name in names if _is_elsewhere(name, step.folder, workspace)), "")


def _is_elsewhere(name: str, folder: Path, workspace: Workspace) -> bool:
    place = Path(os.path.realpath(folder / os.path.expanduser(name)))
    if place.is_relative_to(workspace.root) or not place.exists():
        return False
    return not (is_temporary(place) or place.is_relative_to("/dev"))


def _find_replaced_paths(step: SimpleCommand, line: CommandLine, *, fed: bool) -> Iterator[Path]:
    """Yield the paths at which a step deletes or overwrites files; raises UnknownChangeError.

    `fed`: the output of other commands of the line may be among its arguments.
    """
    for redirect in step.redirects:
        if redirect.writes:
            yield from _resolve_paths(redirect.target, step)
    names = find_replaced_names(step)
    if names is None:
        names = [*find_removed_names(step), *find_written_names(step)]
    elif names:
        fed = fed or (step.wrapped and any(other.program in _FEEDS for other in line.steps))
        if fed and step.program in DELETES | {"sed"}:
            raise UnknownChangeError(
                text(
                    "the files given to `{program}` are not known in advance", program=step.program
                )
            )
    for name in names:
        yield from _resolve_paths(Word(name), step)


def _resolve_paths(name: Word, step: SimpleCommand) -> Iterator[Path]:
    """Yield the paths of a name: the name itself, which may be a link, and the link's target."""
    if not name.known or step.folder is None and not name.text.startswith("/"):
        raise UnknownChangeError(
            text("it changes `{text}`, which is not known in advance", text=name.text)
        )
    place = Path(os.path.normpath((step.folder or Path("/")) / name.text))
    yield Path(os.path.realpath(place.parent)) / place.name
    yield Path(os.path.realpath(place))


def _find_more(line: CommandLine, steps: Sequence[SimpleCommand], workspace: Workspace) -> str:
    if not line.simple:
        return "not a simple command"
    if any(step.program == "cd" for step in line.steps[1:]):
        return "it changes the folder in the middle of the line"
    return next(filter(None, (_does_more(step, workspace) for step in steps)), "")


def _does_more(step: SimpleCommand, workspace: Workspace) -> str:
    """Return what a step does besides changing the files that it names; empty if nothing."""
    if step.folder is None or not all(word.known for word in step.words):
        return text("the arguments of `{program}` are not known in advance", program=step.program)
    try:
        _check_files(step, PathScope(step.folder, workspace))
    except (NotReadOnlyError, UnknownChangeError) as why:
        return str(why)
    reads = not step.words or not explain_side_effects(step.words, step, workspace)
    return (
        ""
        if reads or step.program in EVERYDAY
        else text("it runs `{program}`", program=step.program)
    )


def _check_files(step: SimpleCommand, place: PathScope) -> None:
    """Raise NotReadOnlyError if a step leaves the project or gives a secret another name."""
    for redirect in step.redirects:
        if redirect.target.text != "/dev/null" and (redirect.writes or redirect.operator == "<"):
            place.check_path(redirect.target.text)
    if step.program not in EVERYDAY:
        return
    find_program_name(step.words[0].text, place)
    texts = [word.text for word in step.words[1:]]
    if step.program == "sed":
        CHECKS["sed"]([text for text in texts if not text.startswith("-i")], place)
        return
    for name in texts:
        if not name.startswith("-"):
            place.check_path(name)
    for source in parse_copy(step).sources if step.program in ("cp", "mv") else ():
        _check_copied(source, place)


def _check_copied(source: str, place: PathScope) -> None:
    """Raise NotReadOnlyError if a copied folder holds protected files or renamed secrets."""
    place.check_tree(source, _ALL)
    for entry in walk_files(place.check_path(source), _ALL):
        if name := find_protected_name(os.path.relpath(entry.path, place.workspace.root)):
            raise NotReadOnlyError(
                text(
                    "it would copy `{name}`, which configures this agent or other tools", name=name
                )
            )
