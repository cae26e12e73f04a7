"""Real texts in several styles: what lies on this machine anyway."""

import sysconfig
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random

LINES = range(40, 3000)
LONGEST_LINE = 400
TRIES = 200


@dataclass(frozen=True)
class Source:
    """A text file whose lines all end in LF, the last one too."""

    name: str
    style: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole."""
        return "".join(f"{line}\n" for line in self.lines)


def styles() -> dict[str, tuple[Path, ...]]:
    """What there is here, by style, in a fixed order; a style without files is left out."""
    spec = find_spec("pip")
    roots = {
        "library": (sysconfig.get_path("stdlib"), "*.py"),
        "pip": (str(Path(spec.origin).parent) if spec and spec.origin else "", "*.py"),
        "header": ("/usr/include", "*.h"),
        "script": ("/usr/lib/node_modules", "*.js"),
        "perl": ("/usr/share/perl", "*.pm"),
    }
    found = {style: _files(root, pattern) for style, (root, pattern) in roots.items() if root}
    return {style: files for style, files in found.items() if files}


def draw(dice: Random, only: str = "") -> Source:
    """A source by chance: first the style, then the file; `only` names the style."""
    there = styles()
    for _ in range(TRIES):
        style = only if only in there else dice.choice(sorted(there))
        if source := _read(dice.choice(there[style]), style):
            return source
    raise LookupError("no source was found that is fit for an edit")


@cache
def _files(root: str, pattern: str) -> tuple[Path, ...]:
    folder = Path(root)
    return tuple(
        path
        for path in sorted(folder.rglob(pattern))
        if "site-packages" not in path.relative_to(folder).parts and path.is_file()
    )


@cache
def _read(path: Path, style: str) -> Source | None:
    try:
        text = path.read_bytes().decode("utf-8")
    except (UnicodeDecodeError, OSError):
        return None
    lines = tuple(text.removesuffix("\n").split("\n"))
    odd = any(letter in text for letter in "\r\0\ufeff\x0c")
    if odd or not text.endswith("\n") or len(lines) not in LINES:
        return None
    if max(map(len, lines)) > LONGEST_LINE:
        return None
    return Source(path.name, style, lines)
