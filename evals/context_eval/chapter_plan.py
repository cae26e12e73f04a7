"""A long conversation as a plan: what the user says, what the project has, which pages come out.

Every chapter is a message of the user and has a few pages. A page can only be written right by who
knows the goal (said in the first message), the rule (said in the third), the code that the check
of the page failed with, and the names of the pages that were changed before.
"""

import json
import random
import string
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

GOAL, RULE = "kestrel-4711", "amber-2291"
RULE_SINCE = 3
KNOWN_BEFORE = 8
"""Changed pages that must be known when another one is written."""
MODELS = {
    "deepseek": "deepseek-chat",
    "gemini": "gemini-3-pro",
    "glm": "glm-5",
    "kimi": "kimi-k2.6",
    "openrouter": "some/model",
}
"""A model of each vendor whose server is strict about what it is sent."""
CHECK = """n=1
while [ $n -le 6 ]; do echo "rule $n of page $1 holds"; n=$((n + 1)); done
code=$(grep "^$1 " codes.txt | cut -d" " -f2)
if grep -rqs "page $1 code $code" pages; then echo "page $1 ok"; else
  echo "page $1 FAILED: it needs code $code"
  exit 3
fi
"""
CHECK_ALL = """while read -r page code; do sh check.sh "$page" || exit 1; done < codes.txt
"""


@dataclass(frozen=True)
class Page:
    """One page of a chapter."""

    chapter: int
    number: int

    @property
    def id(self) -> str:
        return f"{self.chapter:02}-{self.number}"

    @property
    def path(self) -> str:
        """Where it is written; nobody can guess the name."""
        return f"pages/{make_words(f'path {self.id}', 8).replace(' ', '')}.md"

    @property
    def code(self) -> str:
        return str(random.Random(f"code {self.id}").randrange(1000, 10000))

    def get_source(self, part: str) -> str:
        return f"sources/{self.id}-{part}.txt"


@dataclass(frozen=True)
class ChapterPlan:
    """So many chapters of so many pages; sources and messages of so many characters."""

    chapters: int
    source_sizes: tuple[int, ...] = (900,)
    """Each source has one of these sizes."""
    message_size: int = 900
    pages_each: int = 4

    @property
    def pages(self) -> list[Page]:
        return [page for chapter in range(1, self.chapters + 1) for page in self.get_pages(chapter)]

    def get_pages(self, chapter: int) -> list[Page]:
        """The pages of one chapter."""
        return [Page(chapter, number) for number in range(1, self.pages_each + 1)]

    def build_message(self, chapter: int) -> str:
        """What the user says, word for word."""
        told = [f"Chapter {chapter:02}: write its pages from its sources, one after the other."]
        if chapter == 1:
            told.append(f"The goal: every page ends with a line that names `{GOAL}`.")
        if chapter == RULE_SINCE:
            told.append(f"From now on the first line of every page must be `{RULE}`.")
        return "\n".join([*told, make_words(f"message {chapter}", self.message_size)])

    def build_page(self, page: Page) -> str:
        """The page as it must be."""
        before = min(KNOWN_BEFORE, self.pages.index(page))
        rule = RULE if page.chapter >= RULE_SINCE else ""
        return render_page(page, rule, page.code, before, GOAL)

    def build_project(self, folder: Path) -> None:
        """Write the files that are there before the conversation."""
        (folder / "sources").mkdir(parents=True)
        (folder / "check.sh").write_text(CHECK)
        (folder / "check-all.sh").write_text(CHECK_ALL)
        (folder / "codes.txt").write_text("".join(f"{p.id} {p.code}\n" for p in self.pages))
        for page in self.pages:
            for part in "abcd":
                source = folder / page.get_source(part)
                size = random.Random(source.name).choice(self.source_sizes)
                source.write_text(make_words(source.name, size) + "\n")

    def find_wrong_pages(self, folder: Path) -> list[str]:
        """Which pages are missing, wrong, or should not be there."""
        right = {page.path: self.build_page(page) for page in self.pages}
        found = {
            str(path.relative_to(folder)): path.read_text()
            for path in (folder / "pages").glob("**/*")
        }
        return sorted(name for name in {*right, *found} if right.get(name) != found.get(name))


def render_page(page: Page, rule: str, code: str, before: int, goal: str) -> str:
    """A page of what its writer knows."""
    lines = [rule] if rule else []
    lines += [f"page {page.id} code {code}", f"pages known before it: {before}", f"of {goal}"]
    return "".join(f"{line}\n" for line in lines)


@cache
def make_words(seed: str, size: int) -> str:
    """Text of so many characters, in lines, always the same for a seed."""
    chance, lines, length = random.Random(seed), list[str](), 0
    while length < size:
        lengths = (chance.randint(2, 9) for _ in range(11))
        words = ("".join(chance.choices(string.ascii_lowercase, k=count)) for count in lengths)
        lines.append(" ".join(words))
        length += len(lines[-1]) + 1
    return "\n".join(lines)[:size]


def build_settings(url: str, window: int, **context: Any) -> str:
    """The configuration of a home whose model is at this address."""
    settings = {
        "model": {
            "context_length": window,
            "max_iterations": 5000,
            "models": {name: {"context_length": window} for name in MODELS.values()},
        },
        "litellm": {"base_url": url},
        "threads": {"titles": False},
        "context": context,
        "task": {"test_command": "sh check-all.sh"},
    }
    return json.dumps(settings)
