"""What `make house` prints: sizes, circles between folders, names and comments, beside their aims.

`test_house.py` and `tests/test_layout.py` hold them.
"""

import ast
import io
import math
import statistics
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from first_turn import count_entered_modules
from local_names import ALSO_VAGUE, VAGUE_NAMES, find_vague_names
from module_names import BANNED_WORDS, find_misnamed
from source_tree import (
    find_functions,
    find_modules,
    find_public_classes,
    find_statements,
    find_test_modules,
    imported_modules,
    modules_at_run_time,
    read_source,
)

VERBS = Path(__file__).with_name("verbs.txt")
PRAGMAS = ("# pyright:", "# type:", "# noqa", "# fmt:", "#!")

Circle = Sequence[Path]


# Python's protocol of serializers, and a method of the SDK that scripts call
DURABLE = ("dumps_typed", "loads_typed", "say")


@dataclass(frozen=True)
class Measure:
    """A figure beside its aim."""

    name: str
    value: float
    least: float = -math.inf
    most: float = math.inf
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether the figure meets its aim."""
        return self.least <= self.value <= self.most

    @property
    def aim(self) -> str:
        """The aim in words; empty for a figure without one."""
        least = f"at least {self.least:g}" if self.least > -math.inf else ""
        text = f"at most {self.most:g}" if self.most < math.inf else ""
        return ", ".join(filter(None, (least, text)))


def main() -> None:
    """Print every measure."""
    for measure in (*list_measures(), measure_first_turn()):
        print(f"{measure.name:<48}{measure.value:>6.4g}   {measure.aim:<28}{measure.note}".rstrip())
    for circle in (*list_circles(), *list_module_circles()):
        print(f"circle: {' '.join(map(str, circle))}")
    for circle in list_type_circles():
        print(f"circle, for types alone: {' '.join(map(str, circle))}")
    if "-v" in sys.argv:
        print(*(f"one importer: {module}" for module in list_one_importer()), sep="\n")


def measure_first_turn() -> Measure:
    """Measure what a task enters before its first model turn; `test_first_turn.py` bounds it."""
    count = count_entered_modules()
    return Measure("modules entered before the first model turn", count, most=232)


def list_measures() -> Sequence[Measure]:
    """Measure the whole source."""
    lengths = {module: read_source(module).count("\n") for module in find_modules()}
    longest = max(lengths, key=lambda module: lengths[module])
    folder, fullest = count_modules().most_common(1)[0]
    names = [function.name for module in find_modules() for function in find_functions(module)]
    comments = sum(count_comments(read_source(module)) for module in find_modules())
    banned = [name for name in names if not BANNED_WORDS.isdisjoint(name.split("_"))]
    vague = [name for module in find_modules() for name in find_vague_names(module)]
    also_vague = [
        name for module in find_modules() for name in find_vague_names(module, ALSO_VAGUE)
    ]
    vague_in_tests = [
        name
        for module in find_test_modules()
        for name in find_vague_names(module, VAGUE_NAMES | ALSO_VAGUE)
    ]
    classes = Counter(name for module in find_modules() for name in find_public_classes(module))
    return (
        Measure("modules", len(lengths), note=f"in {len(count_modules())} folders"),
        Measure("modules in the fullest folder", fullest, most=24, note=str(folder)),
        Measure("lines of the median module", statistics.median(lengths.values()), 60, 120),
        Measure("lines of the longest module", lengths[longest], most=400, note=str(longest)),
        Measure("circles between folders", len(list_circles()), most=0),
        Measure("circles between modules", len(list_module_circles()), most=0),
        Measure("circles between modules, for types alone", len(list_type_circles()), most=2),
        Measure("modules with one importer, per cent", 100 * one_importer_share(), most=22.5),
        Measure("import lines per 100 lines", 100 * import_share(), most=9.4),
        Measure("functions that begin with a verb, per cent", 100 * verb_share(names), least=75),
        Measure("function names of one word, per cent", 100 * one_word_share(names), most=30),
        Measure("functions with a banned word", len({*banned} - {*DURABLE}), most=0),
        Measure("modules with a banned name", len(find_misnamed(find_modules())), most=0),
        Measure("locals and constants with a vague name", len(vague), most=145),
        Measure("those whose word was added to the list later", len(also_vague), most=1252),
        Measure("both in the tests", len(vague_in_tests), most=438),
        Measure("names of two public classes", sum(n > 1 for n in classes.values()), most=0),
        Measure("comments per 100 lines", 100 * comments / sum(lengths.values()), least=1.5),
    )


def count_modules() -> Counter[Path]:
    """Count the modules of each folder, without its `__init__.py`."""
    return Counter(path.parent for path in find_modules() if path.name != "__init__.py")


def count_comments(source: str) -> int:
    """Count the lines with a comment for people."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = (token.string for token in tokens if token.type == tokenize.COMMENT)
    return sum(not comment.startswith(PRAGMAS) for comment in comments)


def verb_share(names: Sequence[str]) -> float:
    """Compute the share of function names whose first word is in `verbs.txt`."""
    lines = VERBS.read_text(encoding="utf-8").splitlines()
    verbs = {word for line in lines if not line.startswith("#") for word in line.split()}
    own = _own_names(names)
    return sum(name.split("_")[0] in verbs for name in own) / len(own)


def one_word_share(names: Sequence[str]) -> float:
    """Compute the share of function names without an underscore inside."""
    own = _own_names(names)
    return sum("_" not in name for name in own) / len(own)


def find_circles(arrows: Mapping[Path, Collection[Path]]) -> Sequence[Circle]:
    """Find the groups of nodes that reach one another, each group sorted, the largest first."""
    reached = {start: _reach(start, arrows) for start in arrows}
    groups = {
        tuple(sorted(other for other in reached[start] if start in reached.get(other, ())))
        for start in arrows
    }
    return sorted((group for group in groups if len(group) > 1), key=len, reverse=True)


def _reach(start: Path, arrows: Mapping[Path, Collection[Path]]) -> set[Path]:
    reached: set[Path] = set()
    waiting = [*arrows[start]]
    while waiting:
        if (node := waiting.pop()) not in reached:
            reached.add(node)
            waiting.extend(arrows.get(node, ()))
    return reached


@cache
def list_circles() -> Sequence[Circle]:
    """List the circles between folders.

    A folder with folders in it has two sides: what they import, and what imports them. So each of
    its own modules counts by itself there.
    """
    arrows: dict[Path, set[Path]] = {}
    for module in find_modules():
        # everything may import the version from the package's own `__init__.py`
        inner = [target for target in imported_modules(module) if len(target.parts) > 1]
        targets = {_place(target) for target in inner}
        arrows.setdefault(_place(module), set()).update(targets - {_place(module)})
    folders = {module.parent for module in find_modules()}
    circles = find_circles(arrows)
    return [
        circle for circle in circles if len({p if p in folders else p.parent for p in circle}) > 1
    ]


@cache
def list_module_circles() -> Sequence[Circle]:
    """List the circles between modules, imports inside functions counted."""
    return _find_module_circles(modules_at_run_time)


@cache
def list_type_circles() -> Sequence[Circle]:
    """List the circles that imports for types alone close."""
    closed = {module for circle in list_module_circles() for module in circle}
    circles = _find_module_circles(imported_modules)
    return [circle for circle in circles if not closed.issuperset(circle)]


def _find_module_circles(imported: Callable[[Path], Set[Path]]) -> Sequence[Circle]:
    # everything may import the version from the package's own `__init__.py`
    return find_circles(
        {
            module: {target for target in imported(module) if len(target.parts) > 1}
            for module in find_modules()
        }
    )


def one_importer_share() -> float:
    """Compute the share of modules that one other module imports."""
    modules = [module for module in find_modules() if module.name != "__init__.py"]
    return len(list_one_importer()) / len(modules)


def list_one_importer() -> Sequence[Path]:
    """List the modules that one other module imports."""
    importers = Counter(target for module in find_modules() for target in imported_modules(module))
    modules = [module for module in find_modules() if module.name != "__init__.py"]
    return [module for module in modules if importers[module] == 1]


def import_share() -> float:
    """Compute the share of lines that are imports."""
    imports = [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for module in find_modules()
        for node in find_statements(module)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    return sum(imports) / sum(read_source(module).count("\n") for module in find_modules())


def _place(module: Path) -> Path:
    return module if module.parent in _outer_folders() else module.parent


@cache
def _outer_folders() -> Collection[Path]:
    return {folder.parent for folder in count_modules()}


def _own_names(names: Sequence[str]) -> Sequence[str]:
    """Python chose the names with two underscores."""
    return [name.strip("_") for name in names if not name.startswith("__")]


if __name__ == "__main__":
    main()
