"""Which other files an instruction file brings in: `@path` in its prose, never in its code."""

import os
import re
from collections.abc import Iterator

MOST_NAMES = 100
"""Names in one file that are looked at: most of what stands behind an `@` is no file."""
LARGEST_READ = 32_000
"""Characters of one file in which they are looked for."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_NAME = re.compile(r"(?<![^\s(])@([^\s`@]+)")
_PUNCTUATION = ".,;:!?)]}'\"\u3002\uff0c\uff1b\uff1a\uff01\uff1f\uff09"
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def find_imports(text: str, path: str) -> list[str]:
    """What the text of the file at `path` names, as paths from the same root; it need not exist.

    Nothing that would be outside of the root, or begins with `/` or `~`.
    """
    found: dict[str, None] = {}
    for paragraph in _BLANK_LINE.split(_strip_code_blocks(text[:LARGEST_READ])):
        for match in _NAME.finditer(_without_spans(paragraph)):
            if len(found) == MOST_NAMES:
                return list(found)
            if name := _resolve_import(path, match[1].rstrip(_PUNCTUATION)):
                found[name] = None
    return list(found)


def _resolve_import(path: str, name: str) -> str:
    if not name or name.startswith(("/", "~")) or "\0" in name:
        return ""
    target = os.path.normpath(os.path.join(os.path.dirname(path), name))
    return "" if target == "." or target.split("/", 1)[0] == ".." else target


def _strip_code_blocks(text: str) -> str:
    """The text without its fenced code; a fence that has no end reaches to the text's."""
    lines, fence = list[str](), ""
    for line in text.splitlines():
        match = _FENCE.match(line)
        if fence:
            closes = match and match[1].startswith(fence) and not match[2].strip()
            fence = "" if closes else fence
        elif match and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
            lines.append("")  # a span ends before it
        else:
            lines.append(line)
    return "\n".join(lines)


def _without_spans(paragraph: str) -> str:
    """The paragraph without its code spans: each ends at the next run of as many backticks."""
    runs = list(re.finditer("`+", paragraph))
    ends, following = dict[int, re.Match[str]](), dict[int, re.Match[str]]()
    for run in reversed(runs):
        if other := following.get(len(run[0])):
            ends[run.start()] = other
        following[len(run[0])] = run
    return "".join(_iter_outside_spans(paragraph, runs, ends))


def _iter_outside_spans(
    paragraph: str, runs: list[re.Match[str]], ends: dict[int, re.Match[str]]
) -> Iterator[str]:
    done = 0
    for run in runs:
        if run.start() >= done and (end := ends.get(run.start())):
            yield paragraph[done : run.start()] + "`"
            done = end.end()
    yield paragraph[done:]
