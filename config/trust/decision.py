"""Whether a folder is trusted: only then is anything of it loaded, run or connected.

A yes holds for the one folder and for what it brought then: nothing is inherited from a folder
above, and whatever of it changes or appears is asked again.
"""

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from .. import paths
from ..errors import UsageError
from ..security.content_digest import UnreadableFileError, read_with_digest
from ..text import text
from .inventory import (
    PLACES,
    InventoryItem,
    InventoryKind,
    read_instruction_digests,
    take_inventory,
)
from .referenced_instructions import find_further_instructions
from .store import Consent, CorruptTrustStoreError, read_consents, update_consent


@dataclass(frozen=True)
class Trust:
    """How a folder stands."""

    folder: str
    """Its real path."""
    inventory: tuple[InventoryItem, ...]
    trusted: bool
    changed: tuple[str, ...] = ()
    """What is not as it was when the user said yes, in words; empty where there was no yes. Of a
    folder that is trusted it is further instruction files, and only of `with_referenced_files`."""
    damaged: str = ""
    """What is wrong with the record; mostly empty."""
    further: Mapping[str, str] = field(default_factory=dict[str, str])
    """The digests of further instruction files, by path: of a folder that is trusted those that the
    user has said yes to. Only `with_referenced_files` looks for them."""

    @property
    def unreadable(self) -> tuple[InventoryItem, ...]:
        """What cannot be trusted by anybody."""
        return tuple(one for one in self.inventory if one.problem)


def check_trust(folder: Path, home: Path) -> Trust:
    """How the folder stands now; looks only at it and at the user's record."""
    real, found = os.path.realpath(folder), tuple(take_inventory(folder))
    try:
        yes = read_consents(home).get(real)
    except CorruptTrustStoreError as error:
        return Trust(real, found, False, damaged=f"{error.message} ({error.hint})")
    now = {one.path: one.digest for one in found}
    changed = () if yes is None else _list_differences(yes.files, now)
    if yes is None or changed or any(one.problem for one in found):
        return Trust(real, found, False, changed)
    return Trust(real, found, True, further=yes.further)


def with_referenced_files(found: Trust) -> Trust:
    """The same with the further instruction files that there are now, for whoever is asked."""
    now = find_further_instructions(Path(found.folder), {one.path for one in found.inventory})
    if not found.trusted:
        return replace(found, further=now)
    new = [text("`{path}` appeared", path=path) for path in now if path not in found.further]
    return replace(found, changed=(*new, *find_further_changes(found)), further=now)


def find_further_changes(found: Trust) -> tuple[str, ...]:
    """Which further instruction files are not as they were when the user said yes, in words; looks
    only at those, so it does not find new ones."""
    return _list_differences(found.further, dict(_read_digests(found.folder, found.further)))


def _read_digests(root: str, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each that is there, with its digest; empty for what is none that can be told."""
    for path in paths:
        try:
            yield path, read_with_digest(root, path)[0]
        except UnreadableFileError:
            if os.path.lexists(os.path.join(root, path)):
                yield path, ""


def grant_trust(shown: Trust, home: Path) -> None:
    """Put on record the user's yes to what was shown; raises UsageError for what is odd."""
    yes = _build_consent(shown)
    update_consent(home, shown.folder, lambda _: yes)


def _build_consent(shown: Trust) -> Consent:
    if not os.path.isdir(shown.folder):
        raise UsageError(
            text("`{folder}` is not a folder", folder=shown.folder), hint="give a project folder"
        )
    if shown.unreadable:
        one = shown.unreadable[0]
        raise UsageError(
            text(
                "`{folder}` cannot be trusted: `{path}`: {problem}",
                folder=shown.folder,
                path=one.path,
                problem=one.problem,
            ),
            hint=text("check `{path}`, and remove it if it is not yours", path=one.path),
        )
    files = {one.path: one.digest for one in shown.inventory}
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return Consent(since, files, dict(shown.further))


def revoke_trust(folder: Path, home: Path) -> bool:
    """Take a yes back; whether there was one."""
    real = os.path.realpath(folder)
    if real not in read_consents(home):
        return False
    update_consent(home, real, lambda _: None)
    return True


def trust(folder: Path | str, home: Path | None = None) -> None:
    """Trust the folder with what it brings now, by the user's own word; it is remembered."""
    kept = home or paths.locate_home()
    grant_trust(with_referenced_files(check_trust(Path(folder), kept)), kept)


def grant_if_empty(folder: Path, home: Path) -> None:
    """Trust a folder into which nobody can have put anything, so that a new project is easy."""
    if not _is_empty(folder):
        return
    found = check_trust(folder, home)
    if not found.trusted and not found.damaged and not found.inventory:
        grant_trust(found, home)


@contextmanager
def keep_trust(folder: Path, home: Path, kind: InventoryKind = "configuration") -> Generator[None]:
    """While the user changes the project's things of one kind: a trusted folder stays so.

    So does an empty one. Nothing else that changes meanwhile is trusted with it, and what is taken
    back meanwhile stays so. Raises UsageError where a link would lead the change out of the folder.
    """
    _validate_inside(folder, kind)
    before = check_trust(folder, home)
    trusted = before.trusted or (_is_empty(folder) and not before.damaged)
    yield
    if trusted:
        now = check_trust(folder, home)
        written = [one for one in now.inventory if one.kind == kind]
        others = [one for one in before.inventory if one.kind != kind]
        yes = _build_consent(replace(now, inventory=(*written, *others), further=before.further))
        update_consent(home, now.folder, lambda old: yes if old or not before.trusted else None)


def follow_changes(folder: Path, home: Path, changes: Mapping[str, Sequence[str]]) -> None:
    """Let the yes to a folder follow changes of its instruction files, each with the digest before
    and after it: the user has seen the whole of them and said yes to just these.

    It does so only where the user had said yes to what was there before, and what is there now is
    what was shown; who wrote it does not matter then. Nothing else is trusted with it.
    """
    real = os.path.realpath(folder)
    with suppress(CorruptTrustStoreError):  # then nothing is trusted
        if real in read_consents(home):
            now = read_instruction_digests(folder)
            update_consent(home, real, lambda yes: yes and _apply_changes(yes, now, changes))


def _apply_changes(
    yes: Consent, now: Mapping[str, str], changes: Mapping[str, Sequence[str]]
) -> Consent:
    if any(
        (yes.files.get(path, ""), now.get(path, "")) != (before, after)
        for path, (before, after) in changes.items()
    ):
        return yes
    files = {**yes.files, **{path: after for path, (_, after) in changes.items()}}
    return replace(yes, files={path: digest for path, digest in files.items() if digest})


def _validate_inside(folder: Path, kind: InventoryKind) -> None:
    for place in (one for one in PLACES[kind] if one.startswith(".llc")):
        if not Path(os.path.realpath(folder / place)).is_relative_to(os.path.realpath(folder)):
            raise UsageError(
                text(
                    "`{place}` is a link to outside the folder, so nothing is written there",
                    place=place,
                ),
                hint=text("check `{place}`, and remove the link if it is not yours", place=place),
            )


def _is_empty(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return not any(entries)
    except OSError:
        return False


def _list_differences(files: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    new = [text("`{path}` appeared", path=path) for path in now if path not in files]
    other = [
        text("`{path}` changed", path=path) if path in now else text("`{path}` is gone", path=path)
        for path, digest in files.items()
        if now.get(path) != digest
    ]
    return (*new, *other)
