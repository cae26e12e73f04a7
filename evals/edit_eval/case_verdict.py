"""Play one hand-written case in a fresh project and say whether what happened is right."""

import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hand_cases import Case
from project import Answer, Door, InProcess, all_files, write


@dataclass(frozen=True)
class CaseVerdict:
    """What became of a case."""

    case: Case
    fate: str
    """`right`; `missed`: refused but must apply; `WRONG`: something else is in the files, or it was
    applied but must be refused; `mute`: right, but the words that must be said are not."""
    why: str
    answer: Answer


def play(case: Case, folder: Path, door: Callable[[Path], Door] = InProcess) -> CaseVerdict:
    """Put the files there, read them, call the tool, compare every byte of the project."""
    opened = door(folder)
    try:
        _prepare(case, opened)
        before = all_files(folder)
        answer = opened.call(case.tool, case.args)
        fate, reason = _judged(case, answer, before, folder)
        if fate == "right" and case.follows:
            fate, reason = _again(case, opened)
        return CaseVerdict(case, fate, reason, answer)
    finally:
        opened.close()


def _prepare(case: Case, door: Door) -> None:
    write(door.folder, case.files)
    for name, target in (case.links or {}).items():
        (door.folder / name).symlink_to(target)
    for name, mode in (case.modes or {}).items():
        (door.folder / name).chmod(mode)
    if case.read:
        names = {
            case.args.get("path"),
            case.args.get("file_path"),
            *case.files,
            *(case.links or {}),
        }
        for name in sorted(name for name in names if name and (door.folder / name).is_file()):
            door.call("read_file", {"path": name})
    if case.meanwhile:
        write(door.folder, case.meanwhile)


def _judged(
    case: Case, answer: Answer, before: Mapping[str, bytes], folder: Path
) -> tuple[str, str]:
    now = all_files(folder)
    if answer.crashed:
        return "WRONG", answer.error
    if not answer.applied:
        if now != before:
            return "WRONG", f"it was refused, but files changed: {_difference(before, now)}"
        if case.refused is None:
            return "missed", f"it must apply, but was refused: {answer.error}"
        return _told(case.refused, answer.error)
    if case.after is None:
        return "WRONG", f"it must be refused, but was applied: {_difference(before, now)}"
    wanted = {name: data for name, data in {**before, **case.after}.items() if data is not None}
    if now != wanted:
        return "WRONG", f"other content than wanted: {_difference(wanted, now)}"
    if problem := _modes_and_links(case, folder):
        return "WRONG", problem
    return _told(case.says, answer.output)


def _told(words: tuple[str, ...], text: str) -> tuple[str, str]:
    missing = [word for word in words if not says(text, word)]
    return ("mute", f"it does not say {missing}: {text}") if missing else ("right", "")


def says(text: str, word: str) -> bool:
    """Whether a text contains a word, or one of several parted by `|`; a number only as a whole."""
    return any(
        re.search(rf"(?<!\d){part}(?!\d)", text) if part.isdigit() else part.lower() in text.lower()
        for part in word.split("|")
    )


def _modes_and_links(case: Case, folder: Path) -> str:
    for name, target in (case.links or {}).items():
        if not (folder / name).is_symlink() or (folder / name).readlink() != Path(target):
            return f"`{name}` is no link to `{target}` any more"
    for name, mode in (case.modes or {}).items():
        path = folder / name
        if not path.exists():  # it was moved: what is new has its mode
            path = folder / next(new for new, data in (case.after or {}).items() if data)
        if (found := stat.S_IMODE(path.stat().st_mode)) != mode:
            return f"the mode of `{path.name}` is {found:o}, not {mode:o}"
    return ""


def _again(case: Case, door: Door) -> tuple[str, str]:
    before = all_files(door.folder)
    answer = door.call(case.tool, case.args)
    if answer.applied or all_files(door.folder) != before:
        return "WRONG", f"it was applied a second time: {answer.output}"
    return "right", ""


def _difference(wanted: Mapping[str, bytes], found: Mapping[str, bytes]) -> str:
    names = [name for name in {**wanted, **found} if wanted.get(name) != found.get(name)]
    return "".join(
        f"\n  {name}\n    wanted {wanted.get(name)!r}\n    found  {found.get(name)!r}"
        for name in names
    )
