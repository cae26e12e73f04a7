"""Which names of modules and folders break the rules: a name is a noun."""

from collections.abc import Iterable
from pathlib import Path


def list_words(text: str) -> frozenset[str]:
    """Split a text into its words."""
    return frozenset(text.split())


CATCH_ALLS = list_words("utils helpers common manager base core")
BANNED_WORDS = list_words(
    """
    told tell heard hear said say spoken speaking speaker voice judge judged judgement brought bring
    taken waited putting picking going doing looking watching hearing opening asking deciding
    remembered pressed typed explained landings readings oddities oddity odd unseen unstopped
    untraced piece pieces alike leave always killed reach stops whatever whoever anew
    """
)
"""Words of the old private language, anywhere in a name."""
PARTICIPLES = list_words(
    """
    begun broken brought built chosen done drawn found given gone heard held hidden kept known
    learned left lost made meant seen sent shown spoken stood taken thought told written
    """
)
"""Irregular ones. A name may hold one, as `shown_files`, but not end in one."""
NOUNS = list_words("bed embed feed need seed speed")
"""They end as a participle does."""


def find_misnamed(modules: Iterable[Path]) -> set[str]:
    """Find every module and folder whose name is a participle, a banned word or a catch-all."""
    names = {module: module.stem.removeprefix("test_") for module in modules}
    names |= {folder: folder.name for module in list(names) for folder in module.parents}
    return {str(path) for path, name in names.items() if is_misnamed(name)}


def is_misnamed(name: str) -> bool:
    """Whether the words of a module's name break a rule."""
    parts = name.split("_")
    last = parts[-1]
    participle = last in PARTICIPLES or last.endswith("ed")
    return bool(
        CATCH_ALLS & {name} or BANNED_WORDS.intersection(parts) or participle and last not in NOUNS
    )
