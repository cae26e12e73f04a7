"""Trust in a folder: only in a trusted one are files loaded, programs run or servers connected.

Trust applies to one folder and its content at that time: it is not inherited from a parent folder,
and new or changed files must be confirmed again.
"""

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from .. import paths
from ..arguments import validate_arguments
from ..errors import UsageError
from ..security.content_digest import UnreadableFileError, read_with_digest
from ..text import text
from .difference import (
    Differences,
    find_file_differences,
    find_program_differences,
    follow_shown,
    keep_shown,
)
from .inventory import PLACES, InventoryItem, InventoryKind, list_instructions, take_inventory
from .program_item import ProgramItem, name_subject
from .referenced_instructions import find_further_instructions
from .store import Consent, CorruptTrustStoreError, read_consents, update_consent


@dataclass(frozen=True)
class Trust:
    """State of trust of a folder."""

    folder: str
    """Its real path."""
    inventory: tuple[InventoryItem, ...]
    trusted: bool
    changed: tuple[str, ...] = ()
    """Changes since the user trusted the folder, as messages; empty if never trusted. For a trusted
    folder, further instruction files only, and only from `with_referenced_files`.
    """
    damaged: str = ""
    """Error in the record; mostly empty."""
    further: Mapping[str, str] = field(default_factory=dict[str, str])
    """The digests of further instruction files, by path: for a trusted folder those that the user
    has trusted. Only `with_referenced_files` searches for them.
    """
    programs: tuple[ProgramItem, ...] = ()
    """What starts programs: git's settings and hooks, MCP servers, and scripts that are named."""
    differences: Differences = field(default_factory=Differences)
    """By the message of a change what was and what is, without secrets; None: it is not kept."""

    @property
    def unreadable(self) -> tuple[InventoryItem | ProgramItem, ...]:
        """Files that cannot be trusted."""
        return tuple(item for item in (*self.inventory, *self.programs) if item.problem)

    @property
    def is_needed(self) -> bool:
        """Whether the folder has something that a yes would open."""
        return bool(self.inventory or self.programs)


def check_trust(folder: Path, home: Path) -> Trust:
    """Return the folder's current trust; reads only the folder and the user's record."""
    real, inventory = os.path.realpath(folder), tuple(take_inventory(folder))
    programs = _take_programs(real, inventory)
    now = Trust(real, inventory, False, programs=programs)
    try:
        yes = read_consents(home).get(real)
    except CorruptTrustStoreError as error:
        return replace(now, damaged=f"{error.message} ({error.hint})")
    if yes is None:
        return now
    digests = {item.path: item.digest for item in inventory}
    changes: Differences = {
        **{message: ("", "") for message in _list_differences(yes.files, digests)},
        **find_file_differences(yes, inventory),
        **find_program_differences(yes, programs),
    }
    if changes or now.unreadable:
        return replace(now, changed=tuple(changes), differences=changes)
    return replace(now, trusted=True, further=yes.further)


def _take_programs(root: str, inventory: Sequence[InventoryItem]) -> tuple[ProgramItem, ...]:
    """Return what starts programs: a repository's settings, and what the listed files name."""
    places = (os.path.join(folder, "") for folder in (root, *map(str, Path(root).parents)))
    # a bare repository is its own folder
    if not inventory and not any(map(os.path.lexists, _list_marks(places))):
        return ()
    from .program_inventory import take_program_inventory  # light commands need it seldom

    return tuple(take_program_inventory(Path(root), [item.path for item in inventory]))


def _list_marks(places: Iterable[str]) -> Iterator[str]:
    """Yield what is in a folder of git's."""
    for place in places:
        yield from (f"{place}.git", f"{place}HEAD")


def with_referenced_files(folder_trust: Trust) -> Trust:
    """Return the trust with the current further instruction files, to ask the user about them."""
    now = find_further_instructions(
        Path(folder_trust.folder), {item.path for item in folder_trust.inventory}
    )
    if not folder_trust.trusted:
        return replace(folder_trust, further=now)
    new = [text("`{path}` appeared", path=path) for path in now if path not in folder_trust.further]
    return replace(folder_trust, changed=(*new, *find_further_changes(folder_trust)), further=now)


def find_further_changes(folder_trust: Trust) -> tuple[str, ...]:
    """Return changes of further instruction files since the user trusted them, as messages.

    It checks only known files, so it does not find new ones.
    """
    return _list_differences(
        folder_trust.further, dict(_read_digests(folder_trust.folder, folder_trust.further))
    )


def _read_digests(root: str, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each existing path with its digest; empty if it has none."""
    for path in paths:
        try:
            yield path, read_with_digest(root, path)[0]
        except UnreadableFileError:
            if os.path.lexists(os.path.join(root, path)):
                yield path, ""


def grant_trust(folder_trust: Trust, home: Path) -> None:
    """Record the user's consent to the content shown; raises UsageError for unreadable files."""
    yes = _build_consent(folder_trust)
    update_consent(home, folder_trust.folder, lambda _: yes)


def _build_consent(folder_trust: Trust) -> Consent:
    if not os.path.isdir(folder_trust.folder):
        raise UsageError(
            text("`{folder}` is not a folder", folder=folder_trust.folder),
            hint="give a project folder",
        )
    if folder_trust.unreadable:
        item = folder_trust.unreadable[0]
        raise UsageError(
            text(
                "`{folder}` cannot be trusted: `{path}`: {problem}",
                folder=folder_trust.folder,
                path=item.path,
                problem=item.problem,
            ),
            hint=text("check `{path}`, and remove it if it is not yours", path=item.path),
        )
    files = {item.path: item.digest for item in folder_trust.inventory}
    since = datetime.now(UTC).isoformat(timespec="seconds")
    texts, programs = keep_shown(folder_trust.inventory, folder_trust.programs)
    return Consent(since, files, dict(folder_trust.further), programs, texts)


def revoke_trust(folder: Path, home: Path) -> bool:
    """Revoke trust in a folder; return whether there was any."""
    real = os.path.realpath(folder)
    if real not in read_consents(home):
        return False
    update_consent(home, real, lambda _: None)
    return True


@validate_arguments
def trust(folder: Path | str, home: Path | None = None) -> None:
    """Trust the folder with its current content, by the user's decision; it is recorded."""
    user_home = home or paths.locate_home()
    grant_trust(with_referenced_files(check_trust(Path(folder), user_home)), user_home)


def grant_if_empty(folder: Path, home: Path) -> None:
    """Trust an empty folder, so that a new project is easy: nobody can have added files."""
    if not _is_empty(folder):
        return
    current_trust = check_trust(folder, home)
    if not current_trust.trusted and not current_trust.damaged and not current_trust.is_needed:
        grant_trust(current_trust, home)


@contextmanager
def keep_trust(folder: Path, home: Path, kind: InventoryKind = "configuration") -> Generator[None]:
    """Keep a folder trusted, or empty, while the user changes its files of one kind.

    Other changes meanwhile do not become trusted, and a revocation meanwhile holds. Raises
    UsageError if a link would lead the change out of the folder.
    """
    _validate_inside(folder, kind)
    before = check_trust(folder, home)
    starts_here = _is_empty(folder) and not before.damaged and not before.is_needed
    trusted = before.trusted or starts_here
    yield
    if trusted:
        now = check_trust(folder, home)
        written = [item for item in now.inventory if item.kind == kind]
        others = [item for item in before.inventory if item.kind != kind]
        programs = tuple(_keep_programs(before, now, kind))
        kept = replace(now, inventory=(*written, *others), programs=programs)
        yes = _build_consent(replace(kept, further=before.further))
        update_consent(home, now.folder, lambda old: yes if old or not before.trusted else None)


def _keep_programs(before: Trust, now: Trust, kind: InventoryKind) -> Iterator[ProgramItem]:
    """Yield the programs that the written files name, and all others as they were before."""
    known = {(item.provenance.subject, item.path): item for item in before.programs}
    for item in now.programs:
        old = known.get((item.provenance.subject, item.path))
        if item.path in PLACES[kind] and (item.kind == "server" or old is None):
            yield item
        elif old:
            yield old


def follow_changes(folder: Path, home: Path, changes: Mapping[str, Sequence[str]]) -> None:
    """Extend trust to changed instruction files and scripts, each with the digest before and after.

    The user has seen the whole change and approved it. It applies only if the user had trusted the
    old content, and the current content is what was shown, no matter who wrote it. Nothing else
    becomes trusted.
    """
    from .program_inventory import list_scripts

    real = os.path.realpath(folder)
    with suppress(CorruptTrustStoreError):  # then nothing is trusted
        if real in read_consents(home):
            now = {item.path: item for item in list_instructions(folder)}
            scripts = {item.name: item for item in list_scripts(real)}
            update_consent(
                home, real, lambda yes: yes and _apply_changes(yes, now, scripts, changes)
            )


def _apply_changes(
    yes: Consent,
    now: Mapping[str, InventoryItem],
    scripts: Mapping[str, ProgramItem],
    changes: Mapping[str, Sequence[str]],
) -> Consent:
    known = {program.subject: program.digest for program in yes.programs or ()}
    files, changed_scripts = dict(yes.files), dict[str, ProgramItem]()
    for path, (before, after) in changes.items():
        subject = name_subject("script", path)
        if subject in known:
            current = scripts[path].provenance.digest if path in scripts else ""
            if (known[subject], current) != (before, after):
                return yes
            changed_scripts |= {subject: scripts[path]} if path in scripts else {}
        else:
            current = now[path].digest if path in now else ""
            if (yes.files.get(path, ""), current) != (before, after):
                return yes
            files[path] = after
    kept = {path: digest for path, digest in files.items() if digest}
    changed_files = [now[path] for path in changes if path in now]
    texts, programs = follow_shown(yes, changed_files, changed_scripts)
    texts = {path: content for path, content in texts.items() if path in kept}
    return replace(yes, files=kept, texts=texts, programs=programs)


def _validate_inside(folder: Path, kind: InventoryKind) -> None:
    for place in (path for path in PLACES[kind] if path.startswith(".llc")):
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
