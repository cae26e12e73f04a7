"""What must hold after files were put back, said without knowing how they are put back."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from recorded_project import File, Tree

from maxagent.memory.undo.restore import RestoreResult


@dataclass(frozen=True)
class Moment:
    """A place in the history that can be gone back to."""

    time: int
    number: int
    """Of the last entry then."""
    files: Tree


Goal = Callable[[str], Moment | None]
"""The moment to which a file is to go back; None for one that is to stay as it is."""
Line = tuple[int, str, bytes, bool]
"""When, in which file, which line; written (True) or taken out by the user."""


@dataclass
class Witness:
    """Remembers who changed which file when; time is counted in acts."""

    time: int = 0
    users: list[tuple[int, str]] = field(default_factory=list)
    agents: list[tuple[int, str]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    modes: list[tuple[int, str, str]] = field(default_factory=list)
    """Modes that the user has given to files that were there."""
    forced: int = 0
    """When something was put back by force for the last time."""

    def see_user(self, before: Tree, after: Tree) -> None:
        """The user has acted."""
        self.time += 1
        for path in differing(before, after):
            self.users.append((self.time, path))
            old, new = lines_of(before.get(path)), lines_of(after.get(path))
            self.lines += [(self.time, path, line, True) for line in new - old]
            self.lines += [(self.time, path, line, False) for line in old - new]
            if path in before and path in after and before[path][0] != after[path][0]:
                self.modes.append((self.time, path, after[path][0]))

    def see_agent(self, before: Tree, after: Tree) -> None:
        """The agent has acted, or something was put back."""
        self.time += 1
        self.agents += [(self.time, path) for path in differing(before, after)]

    def faults(
        self, goal: Goal, before: Tree, after: Tree, done: RestoreResult, *, force: bool
    ) -> Iterator[str]:
        """What is wrong after each file went back to the moment that the goal says."""
        conflicts = {conflict.path for conflict in done.conflicts}
        kept = {line for file in after.values() for line in lines_of(file)}
        for path in sorted({*before, *after} | {path for _, path in self.agents}):
            was, now, moment = before.get(path), after.get(path), goal(path)
            if now == was and (moment is None or path in conflicts):
                continue
            if now != was and path in conflicts:
                yield f"{path!r} is a conflict and was changed"
            elif now != was and path not in done.paths and not path.endswith("/"):
                yield f"{path!r} was changed and not named"
            elif moment is None:
                yield f"{path!r} was not to go back and was changed"
            elif was or not _is_hollow(path, moment.files, after):
                yield from self._wrong(moment, path, was, now, kept, force)

    def _wrong(
        self,
        goal: Moment,
        path: str,
        was: File | None,
        now: File | None,
        kept: Collection[bytes],
        force: bool,
    ) -> Iterator[str]:
        """What is wrong with one file that is no conflict."""
        then = goal.files.get(path)
        acted = any(path == other and time > goal.time for time, other in self.agents)
        if now != was and not acted:
            yield f"{path!r} was never the agent's since and was changed"
        if not any(_near(path, other) for time, other in self.users if time > goal.time):
            if now != then:
                yield f"{path!r} is not as it was then: {then!r} but {now!r}"
        elif not force:
            since = [line for line in self.lines if line[0] > goal.time and line[1] == path]
            # what the user has taken out is no longer theirs, though a restore brought it again
            last = {line: written for _, _, line, written in since}
            for line in (line for line, written in last.items() if written):
                if line in lines_of(was) and line not in kept:
                    yield f"{path!r} has lost the user's {line!r}"
            if acted and since and now and _is_text(now) and self.forced <= goal.time:
                yield from _badly_merged(path, lines_of(then), lines_of(now), since)
                modes = [m for time, other, m in self.modes if time > goal.time and other == path]
                if then and now[0] != (modes or [then[0]])[-1]:
                    yield f"{path!r} has the wrong mode: {now[0]}"


def _badly_merged(
    path: str, then: frozenset[bytes], now: frozenset[bytes], since: list[Line]
) -> Iterator[str]:
    """The lines of a merged file are those of then, and what the user made of them."""
    for _, _, line, written in since:
        then = then | {line} if written else then - {line}
    if now != then:
        yield f"{path!r} is badly merged: {sorted(now ^ then)}"


def _is_hollow(path: str, then: Tree, now: Tree) -> bool:
    """Whether it is a folder that had contents, of which nothing is there: nor need it be."""
    had, has = (any(name.startswith(path) for name in tree if name != path) for tree in (then, now))
    return path.endswith("/") and path not in now and had and not has


def differing(one: Tree, other: Tree) -> set[str]:
    """Paths that are not the same in both."""
    return {path for path in one | other if one.get(path) != other.get(path)}


def lines_of(file: tuple[str, bytes] | None) -> frozenset[bytes]:
    """The lines of a text file without their endings; none of anything else."""
    if file is None or not _is_text(file):
        return frozenset()
    return frozenset(line.strip(b"\r") for line in file[1].split(b"\n") if line.strip(b"\r"))


def _is_text(file: tuple[str, bytes]) -> bool:
    return file[0] != "120000" and b"\0" not in file[1]


def _near(path: str, other: str) -> bool:
    """The path itself, a folder above it or anything below it."""
    below = f"{path.rstrip('/')}/"  # a folder's name has its slash already
    return path == other or path.startswith(f"{other}/") or other.startswith(below)
