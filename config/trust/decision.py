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
from ..security.content_digest import Odd, digest_of
from .inventory import PLACES, Brought, Kind, brought, own_instructions
from .referenced_instructions import further_instructions
from .store import Damaged, Yes, note, read


@dataclass(frozen=True)
class Trust:
    """How a folder stands."""

    folder: str
    """Its real path."""
    brought: tuple[Brought, ...]
    trusted: bool
    changed: tuple[str, ...] = ()
    """What is not as it was when the user said yes, in words; empty where there was no yes. Of a
    folder that is trusted it is further instruction files, and only of `looked_further`."""
    damaged: str = ""
    """What is wrong with the record; mostly empty."""
    further: Mapping[str, str] = field(default_factory=dict[str, str])
    """The digests of further instruction files, by path: of a folder that is trusted those that the
    user has said yes to. Only `looked_further` looks for them."""

    @property
    def odd(self) -> tuple[Brought, ...]:
        """What cannot be trusted by anybody."""
        return tuple(one for one in self.brought if one.odd)


def trust_of(folder: Path, home: Path) -> Trust:
    """How the folder stands now; looks only at it and at the user's record."""
    real, found = os.path.realpath(folder), tuple(brought(folder))
    try:
        yes = read(home).get(real)
    except Damaged as error:
        return Trust(real, found, False, damaged=f"{error.message} ({error.hint})")
    now = {one.path: one.digest for one in found}
    changed = () if yes is None else _differences(yes.files, now)
    if yes is None or changed or any(one.odd for one in found):
        return Trust(real, found, False, changed)
    return Trust(real, found, True, further=yes.further)


def looked_further(found: Trust) -> Trust:
    """The same with the further instruction files that there are now, for whoever is asked."""
    now = further_instructions(Path(found.folder), {one.path for one in found.brought})
    if not found.trusted:
        return replace(found, further=now)
    new = [f"`{path}` appeared" for path in now if path not in found.further]
    return replace(found, changed=(*new, *changed_further(found)), further=now)


def changed_further(found: Trust) -> tuple[str, ...]:
    """Which further instruction files are not as they were when the user said yes, in words; looks
    only at those, so it does not find new ones."""
    return _differences(found.further, dict(_now(found.folder, found.further)))


def _now(root: str, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each that is there, with its digest; empty for what is none that can be told."""
    for path in paths:
        try:
            yield path, digest_of(root, path)[0]
        except Odd:
            if os.path.lexists(os.path.join(root, path)):
                yield path, ""


def is_trusted(folder: Path, home: Path) -> bool:
    """Whether the user said yes to this folder with what it brings now."""
    return trust_of(folder, home).trusted


def accept(shown: Trust, home: Path) -> None:
    """Put on record the user's yes to what was shown; raises UsageError for what is odd."""
    yes = _yes_to(shown)
    note(home, shown.folder, lambda _: yes)


def _yes_to(shown: Trust) -> Yes:
    if not os.path.isdir(shown.folder):
        raise UsageError(f"`{shown.folder}` is not a folder", hint="give a project folder")
    if shown.odd:
        one = shown.odd[0]
        raise UsageError(
            f"`{shown.folder}` cannot be trusted: `{one.path}`: {one.odd}",
            hint=f"check `{one.path}`, and remove it if it is not yours",
        )
    files = {one.path: one.digest for one in shown.brought}
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return Yes(since, files, dict(shown.further))


def revoke(folder: Path, home: Path) -> bool:
    """Take a yes back; whether there was one."""
    real = os.path.realpath(folder)
    if real not in read(home):
        return False
    note(home, real, lambda _: None)
    return True


def trust(folder: Path | str, home: Path | None = None) -> None:
    """Trust the folder with what it brings now, by the user's own word; it is remembered."""
    kept = home or paths.home()
    accept(looked_further(trust_of(Path(folder), kept)), kept)


def trust_if_empty(folder: Path, home: Path) -> None:
    """Trust a folder into which nobody can have put anything, so that a new project is easy."""
    if not _is_empty(folder):
        return
    found = trust_of(folder, home)
    if not found.trusted and not found.damaged and not found.brought:
        accept(found, home)


@contextmanager
def own_change(folder: Path, home: Path, kind: Kind = "configuration") -> Generator[None]:
    """While the user changes the project's things of one kind: a trusted folder stays so.

    So does an empty one. Nothing else that changes meanwhile is trusted with it, and what is taken
    back meanwhile stays so. Raises UsageError where a link would lead the change out of the folder.
    """
    _refuse_outside(folder, kind)
    before = trust_of(folder, home)
    trusted = before.trusted or (_is_empty(folder) and not before.damaged)
    yield
    if trusted:
        now = trust_of(folder, home)
        written = [one for one in now.brought if one.kind == kind]
        others = [one for one in before.brought if one.kind != kind]
        yes = _yes_to(replace(now, brought=(*written, *others), further=before.further))
        note(home, now.folder, lambda old: yes if old or not before.trusted else None)


def follow(folder: Path, home: Path, changes: Mapping[str, Sequence[str]]) -> None:
    """Let the yes to a folder follow changes of its instruction files, each with the digest before
    and after it: the user has seen the whole of them and said yes to just these.

    It does so only where the user had said yes to what was there before, and what is there now is
    what was shown; who wrote it does not matter then. Nothing else is trusted with it.
    """
    real = os.path.realpath(folder)
    with suppress(Damaged):  # then nothing is trusted
        if real in read(home):
            now = own_instructions(folder)
            note(home, real, lambda yes: yes and _followed(yes, now, changes))


def _followed(yes: Yes, now: Mapping[str, str], changes: Mapping[str, Sequence[str]]) -> Yes:
    if any(
        (yes.files.get(path, ""), now.get(path, "")) != (before, after)
        for path, (before, after) in changes.items()
    ):
        return yes
    files = {**yes.files, **{path: after for path, (_, after) in changes.items()}}
    return replace(yes, files={path: digest for path, digest in files.items() if digest})


def _refuse_outside(folder: Path, kind: Kind) -> None:
    for place in (one for one in PLACES[kind] if one.startswith(".llc")):
        if not Path(os.path.realpath(folder / place)).is_relative_to(os.path.realpath(folder)):
            raise UsageError(
                f"`{place}` is a link to outside the folder, so nothing is written there",
                hint=f"check `{place}`, and remove the link if it is not yours",
            )


def _is_empty(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return not any(entries)
    except OSError:
        return False


def _differences(files: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    new = [f"`{path}` appeared" for path in now if path not in files]
    other = [
        f"`{path}` changed" if path in now else f"`{path}` is gone"
        for path, digest in files.items()
        if now.get(path) != digest
    ]
    return (*new, *other)
