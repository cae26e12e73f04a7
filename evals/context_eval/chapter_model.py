"""The model of a long conversation: each answer is decided from the bytes of its request alone.

It keeps nothing between requests. What it cannot find in the request it does not know: it writes
a `?` into the page, or a page that nobody wanted, and the conversation ends red.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from chapter_plan import GOAL, KNOWN_BEFORE, RULE, RULE_SINCE, ChapterPlan, Page, render_page

LOST = "pages/lost.md"
OTHER_ROLES = {
    "You are the architect": "SMALL: write the pages.",
    "You are the tester": "ACCEPTED: every page is right.",
}
SUMMARY_FACTS = (
    r"^.*\b(?:goal|first line of every page)\b.*$",
    r"^.*page \d\d-\d (?:FAILED|ok).*$",
    r"sources/\d\d-\d-[a-d]\.txt",
    r"pages/\w+\.md",
)

Message = Mapping[str, Any]
Turn = dict[str, Any]


@dataclass(frozen=True)
class ReadRequest:
    """What can be read in a request."""

    messages: Sequence[Message]
    tools: bool

    @cached_property
    def text(self) -> str:
        """All of it but the system prompt, in order."""
        return "\n".join(map(render_message, self.messages[1:]))

    @cached_property
    def newest(self) -> int:
        """The index of the user's newest message; -1: there is none."""
        said = [number for number, one in enumerate(self.messages) if find_chapter(one)]
        return said[-1] if said else -1

    @property
    def chapter(self) -> int:
        return find_chapter(self.messages[self.newest])

    @property
    def called(self) -> set[str]:
        """The tools called since the user's newest message."""
        return {
            call["function"]["name"]
            for message in self.messages[self.newest + 1 :]
            for call in message.get("tool_calls") or ()
        }

    @property
    def has_answers(self) -> bool:
        return any(one["role"] == "assistant" for one in self.messages[self.newest + 1 :])

    @property
    def system(self) -> str:
        return render_message(self.messages[0])

    @property
    def asks_for_summary(self) -> bool:
        return not self.tools


def read_request(body: Mapping[str, Any]) -> ReadRequest:
    """Read a request of chat completions."""
    tools = bool(body.get("tools")) and body.get("tool_choice") != "none"
    return ReadRequest(body["messages"], tools)


def render_message(message: Message) -> str:
    """The text of a message and of its calls."""
    content = message.get("content") or ""
    parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    return "\n".join([*parts, *(f"{one['name']} {one['arguments']}" for one in calls)])


def find_chapter(message: Message) -> int:
    """The chapter that a message of the user is about; 0: it is none."""
    found = message["role"] == "user" and re.findall(
        r"Chapter (\d\d): write", render_message(message)
    )
    return int(found[-1]) if found else 0


def decide(plan: ChapterPlan, request: ReadRequest) -> Turn:
    """The next answer."""
    if request.asks_for_summary:
        return {"text": summarize(request)}
    for begin_of_prompt, answer in OTHER_ROLES.items():
        if request.system.startswith(begin_of_prompt):
            return {"text": answer}
    if request.newest < 0:
        return give_up("I do not know what was asked.")
    chapter = request.chapter
    pages = plan.get_pages(chapter)
    marks = re.findall(rf"\[(.)\] write page ({chapter:02}-\d)", request.text)
    if not marks:
        return begin(request, pages)
    done = {name for mark, name in marks if mark == "x"}
    page = next((page for page in pages if page.id not in done), None)
    return write_on(plan, request, page) if page else {"text": f"Chapter {chapter:02} is done."}


def begin(request: ReadRequest, pages: Sequence[Page]) -> Turn:
    """Make the list of tasks; without one in the middle of a chapter nothing can be right."""
    if "todowrite" in request.called and "todoread" not in request.called:
        return call("todoread")  # a kill has taken the result of the first call
    started = [p for p in pages if p.path in request.text or p.get_source("a") in request.text]
    if request.has_answers or started:
        return give_up("I do not know which pages are left.")
    todos = [{"id": page.id, "content": f"write page {page.id}"} for page in pages]
    return call("todowrite", action="create", todos=todos)


def write_on(plan: ChapterPlan, request: ReadRequest, page: Page) -> Turn:
    """Take the next step of a page."""
    text, ended = request.text, find_end(request.text, page)
    if ended == "ok":
        return call("todowrite", action="mark_completed", todos=[page.id])
    if ended == "written":
        return call("run_command", command=f"sh check.sh {page.id}")
    if page.get_source("d") in text:
        if text.count(page.path) > 4:
            return give_up(f"Page {page.id} is never right.")
        return call("write_file", path=page.path, content=write_page(plan, text, page))
    if page.get_source("c") in text:
        return call("read_file", path=page.get_source("d"))
    if ended == "failed":
        return call("read_file", path=page.get_source("c"))
    if page.get_source("a") in text:
        return call("run_command", command=f"sh check.sh {page.id}")
    return {
        "tool_calls": [
            {"name": "read_file", "id": f"r{part}", "args": {"path": page.get_source(part)}}
            for part in "ab"
        ]
    }


def find_end(text: str, page: Page) -> str:
    """How far the page is: `ok`, `written`, `failed`, or nothing of it."""
    if f"page {page.id} ok" in text:
        return "ok"
    written, failed = text.rfind(page.path), text.rfind(f"page {page.id} FAILED")
    if written >= 0 and written > failed:
        return "written"
    return "failed" if failed >= 0 else ""


def write_page(plan: ChapterPlan, text: str, page: Page) -> str:
    """The page as the request lets one know it."""
    place = plan.pages.index(page)
    before = plan.pages[max(0, place - KNOWN_BEFORE) : place]
    code = re.findall(rf"page {page.id} FAILED: it needs code (\d+)", text)
    rule = "" if page.chapter < RULE_SINCE else RULE if RULE in text else "?"
    known = sum(other.path in text for other in before)
    return render_page(page, rule, code[-1] if code else "?", known, GOAL if GOAL in text else "?")


def summarize(request: ReadRequest) -> str:
    """A good summary: every fact that is in the request, in its order."""
    found = [
        (match.start(), match[0])
        for pattern in SUMMARY_FACTS
        for match in re.finditer(pattern, request.text, re.MULTILINE)
    ]
    facts = list(dict.fromkeys(fact for _, fact in sorted(found)))
    return "I am writing the pages of the chapters.\n" + "\n".join(facts[-60:])


def call(name: str, **arguments: Any) -> Turn:
    """An answer that calls one tool."""
    return {"text": "Next.", "tool_calls": [{"name": name, "args": arguments}]}


def give_up(why: str) -> Turn:
    """A wrong act: a page that nobody wanted."""
    return call("write_file", path=LOST, content=why + "\n")


def is_lost(body: str) -> bool:
    """Whether the model has given up before."""
    return LOST in body
