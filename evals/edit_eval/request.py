"""A request as a model would send it, what it may lead to, and how the ways to garble register."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from true_edit import Edit, joined

Content = Mapping[str, bytes]
"""Paths in the project and what the files hold."""


@dataclass(frozen=True)
class Request:
    """One call on files, and everything that may rightly come of it."""

    before: Content
    tool: str
    args: Mapping[str, Any]
    truths: tuple[Content, ...]
    """Any of these is right, for the files that they name, all others unchanged; with none of them,
    only a refusal is right."""
    places: tuple[frozenset[int], ...] = ()
    """Of each true place, line numbers from 1 of which a refusal should name one."""
    meanwhile: Content | None = None
    """What others wrote after the files were read."""
    exact: bool = False
    """The request is the file's text to the letter."""
    restated: bool = False
    """It is that of `edit` in another tool's form."""


Garble = Callable[[Edit, Random], Request | None]
"""Makes a request of a true edit; None when it does not fit this one."""


@dataclass(frozen=True)
class Kind:
    """One way to garble."""

    name: str
    group: str
    garble: Garble
    style: str = ""
    """The only style of sources it can use."""
    sizes: range | None = None


HONEST: dict[str, Kind] = {}
"""The request means one place, and says so as models do: it should be carried out."""
ADVERSARIAL: dict[str, Kind] = {}
"""The request may look right and mean something else: it is carried out rightly or refused."""


def honest(
    group: str, *, style: str = "", sizes: range | None = None
) -> Callable[[Garble], Garble]:
    """Register an honest way to garble under its function's name."""
    return _register(HONEST, group, style, sizes)


def adversarial(
    group: str, *, style: str = "", sizes: range | None = None
) -> Callable[[Garble], Garble]:
    """Register an adversarial one."""
    return _register(ADVERSARIAL, group, style, sizes)


def _register(
    kinds: dict[str, Kind], group: str, style: str, sizes: range | None
) -> Callable[[Garble], Garble]:
    def register(garble: Garble) -> Garble:
        name = garble.__name__
        assert name not in kinds, name
        kinds[name] = Kind(name, group, garble, style, sizes)
        return garble

    return register


def place_of(edit: Edit) -> frozenset[int]:
    """The block's lines."""
    return frozenset(range(edit.start + 1, edit.end + 1))


def old_of(edit: Edit, change: Callable[[str, int], str] | None = None) -> list[str]:
    """The old block's lines, each as `change(line, index)` spells it."""
    change = change or (lambda line, index: line)
    return [change(line, index) for index, line in enumerate(edit.old)]


def new_of(edit: Edit, change: Callable[[str, int], str] | None = None) -> list[str]:
    """The new block's lines: kept ones as `change(line, index)` spells them, others as they are."""
    change = change or (lambda line, index: line)
    return [line.text if line.kept is None else change(line.text, line.kept) for line in edit.new]


def pair(
    edit: Edit,
    dice: Random,
    old: Sequence[str] | str,
    new: Sequence[str] | str,
    *,
    loose: bool = True,
    before: bytes | None = None,
    truths: Sequence[bytes] | None = None,
    **args: Any,
) -> Request | None:
    """A call of `edit`; a loose one does not fit when it happens to be exact.

    New lines that begin or end with an empty one do not fit: whether that line or a mere line break
    is meant, nobody could say.
    """
    end = dice.choice(["", "\n"])
    if not isinstance(new, str) and not (new[0].strip() and new[-1].strip()):
        return None
    old = old if isinstance(old, str) else "\n".join(old) + end
    new = new if isinstance(new, str) else "\n".join(new) + end
    if old == new or not old.strip() or (edit.text.count(old) != (0 if loose else 1)):
        return None
    return Request(
        before={edit.path: edit.text.encode() if before is None else before},
        tool="edit",
        args={"file_path": edit.path, "old_string": old, "new_string": new, **args},
        truths=tuple(
            {edit.path: truth}
            for truth in ([joined(edit.after).encode()] if truths is None else truths)
        ),
        places=(place_of(edit),),
        exact=not loose,
    )


def refused(edit: Edit, old: str, new: str, *places: frozenset[int]) -> Request | None:
    """A call of `edit` that must be refused; the refusal should name every place."""
    if old == new or not old.strip():
        return None
    return Request(
        before={edit.path: edit.text.encode()},
        tool="edit",
        args={"file_path": edit.path, "old_string": old, "new_string": new},
        truths=(),
        places=places,
    )
