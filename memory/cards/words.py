"""Words of a text: for search, for duplicates, and for what was copied from elsewhere."""

import re
import unicodedata
from functools import cache, lru_cache

# with 々 and the planes of rare characters
_CJK = (
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
    "\U00020000-\U000323af"
)
_ASCII_RUN = re.compile(r"[^\W_]+", re.ASCII)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
_MIN_STEM = 3


def split_words(text: str) -> list[str]:
    """Return the words to compare texts by: stems of words, and pairs of CJK characters."""
    words: list[str] = []
    for run in _find_runs(_CAMEL.sub(" ", text)):
        if is_cjk(run):
            words += [run[at : at + 2] for at in range(max(len(run) - 1, 1))]
        else:
            words.append(stem(run))
    return words


def split_exact_words(text: str) -> list[str]:
    """Return the words as they stand, and each CJK character."""
    words: list[str] = []
    for run in _find_runs(text):
        words += list(run) if is_cjk(run) else [run]
    return words


def is_cjk(word: str) -> bool:
    """Return whether the word is written without spaces around it."""
    return not word.isascii() and bool(_compile_cjk().match(word))


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return an English word without its ending: `tests` and `testing` are `test`."""
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            if ending == "s" and word.endswith(("ss", "us", "is")):
                break
            root = word[: -len(ending)] + instead
            doubled = ending in ("ing", "ed") and root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if doubled else root.removesuffix("e")
    return word.removesuffix("e") if len(word) > _MIN_STEM + 1 else word


def _find_runs(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_RUN.findall(text.casefold())
    return _compile_run().findall(unicodedata.normalize("NFKC", text).casefold())


@cache  # compiling takes milliseconds, and most texts need neither
def _compile_run() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")


@cache
def _compile_cjk() -> re.Pattern[str]:
    return re.compile(f"[{_CJK}]")
