"""The numbered steps of an architect's plan, as the coder's todo list."""

import re
from collections.abc import Iterator

from ...tools.todo_list import Item, Todo, add_todos
from ..turn.step_list import MAX_STEP_LENGTH, MAX_STEPS

# Characters of a step's details
MAX_DETAILS_LENGTH = 600
_NUMBERED = re.compile(r" {0,3}(?P<number>\d+)[.)]\s+(?P<content>\S.*)")
_CODE = re.compile(r"`([^`\s]+)`")
_LINE_OF_A_FILE = re.compile(r":\d+(?:-\d+)?$")
_PATH = re.compile(r"[\w.@~+-]+(?:/[\w.@~+-]+)+|[\w-]+\.[a-zA-Z]\w{0,9}")


def parse_plan_steps(plan: str) -> list[Todo]:
    """Return the plan's first numbered list as tasks; empty if it has fewer than two steps.

    What is below a step becomes its details, the first file that it names its `file_path`.
    """
    steps = list(_iter_steps(plan))
    if not 2 <= len(steps) <= MAX_STEPS:
        return []
    return add_todos([_build_item(first, below) for first, below in steps])


def _iter_steps(plan: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the first line of each step, and the lines below it."""
    content, below = "", list[str]()
    for line in plan.splitlines():
        numbered = _NUMBERED.fullmatch(line)
        if numbered and content and int(numbered["number"]) <= 1:
            break  # another list
        if numbered:
            if content:
                yield content, below
            content, below = numbered["content"], []
        elif content and line.strip():
            if line[0] not in " \t-*":
                break  # a paragraph or a heading after the list
            below.append(line.strip())
    if content:
        yield content, below


def _build_item(first: str, below: list[str]) -> Item:
    content = first.replace("**", "").strip()
    rest = content[MAX_STEP_LENGTH:]
    details = "\n".join(filter(None, [rest, *below]))[:MAX_DETAILS_LENGTH]
    item = Item(content=content[:MAX_STEP_LENGTH], status="pending", details=details)
    if path := _find_path("\n".join([content, *below])):
        item["file_path"] = path
    return item


def _find_path(words: str) -> str:
    """Return the first file that stands as code; empty if there is none."""
    named = (_LINE_OF_A_FILE.sub("", code) for code in _CODE.findall(words))
    return next((name for name in named if _PATH.fullmatch(name)), "")
