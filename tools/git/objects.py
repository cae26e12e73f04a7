"""Objects of a repository, read as they are: without filters, attributes and replacements."""

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace

from ...config.text import text
from .user_git import GitError, UserGit

# Most bytes that are in memory at once, unless a single object has more
MAX_AT_ONCE = 32_000_000
_HEAD = re.compile(rb"([0-9a-f]{40,64}) \w+ (\d+)\n")


@dataclass(frozen=True)
class GitObject:
    """An object; without a kind it is not described yet, or does not exist here."""

    id: str
    path: str = ""
    """A path of it, if it has one."""
    kind: str = ""
    """`blob`, `tree`, `commit` or `tag`."""
    size: int = 0

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self.path or f"{self.kind} {self.id[:10]}"


async def describe_objects(git: UserGit, objects: Sequence[GitObject]) -> list[GitObject]:
    """Return the objects with kind and size."""
    if not objects:
        return []
    output = await git.read("cat-file", "--batch-check", input=_list_ids(objects))
    described = list[GitObject]()
    for one, line in zip(objects, output.decode().split("\n"), strict=False):
        words = line.split(" ")
        known = len(words) == 3
        described.append(replace(one, kind=words[1], size=int(words[2])) if known else one)
    return described


async def read_objects(
    git: UserGit, objects: Sequence[GitObject]
) -> AsyncIterator[list[tuple[GitObject, bytes]]]:
    """Yield described objects with their contents, in portions; raises GitError."""
    for portion in _split(objects):
        output, at = await git.read("cat-file", "--batch", input=_list_ids(portion)), 0
        contents = list[tuple[GitObject, bytes]]()
        for one in portion:
            head = _HEAD.match(output, at)
            if not head or head[1].decode() != one.id:
                reason = f"{one.id}?"
                raise GitError(
                    text("`git {command}` failed: {reason}", command="cat-file", reason=reason)
                )
            at = head.end() + int(head[2])
            contents.append((one, output[head.end() : at]))
            at += 1
        yield contents


def _list_ids(objects: Sequence[GitObject]) -> bytes:
    return "".join(f"{one.id}\n" for one in objects).encode()


def _split(objects: Sequence[GitObject]) -> Iterator[list[GitObject]]:
    portion, size = list[GitObject](), 0
    for one in objects:
        if portion and size + one.size > MAX_AT_ONCE:
            yield portion
            portion, size = [], 0
        portion.append(one)
        size += one.size
    if portion:
        yield portion
