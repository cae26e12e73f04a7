"""The server of `chapter_model.py`: counts tokens, refuses what is too long, logs requests."""

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "tests/fixtures"))

from chapter_model import (  # noqa: E402
    ReadRequest,
    decide,
    is_lost,
    read_request,
    render_message,
)
from chapter_plan import ChapterPlan  # noqa: E402
from provider import Answer, Provider, Request  # noqa: E402

from maxagent.nodes.conversation.token_estimate import estimate_text  # noqa: E402

STOPPED: Answer = {"status": 400, "body": {"error": {"message": "the model has given up"}}}


@dataclass(frozen=True)
class LoggedRequest:
    """One request, as far as it is judged later."""

    tokens: int
    cached: int
    """Tokens of the prefix that an earlier request had, too."""
    changed: int
    """Bytes of the request before that this one does not repeat."""
    is_summary: bool
    chapter: int
    has_newest: bool
    """Whether the user's newest message is there word for word, the last of the user's own."""
    was_refused: bool = False


class ChapterServer:
    """Answers a provider's requests; `log` has them in order."""

    def __init__(
        self,
        provider: Provider,
        plan: ChapterPlan,
        window: int,
        *,
        summary: str | None = None,
        hidden: re.Pattern[str] | None = None,
        thinks: bool = False,
    ) -> None:
        """`summary` is the answer to each request for one; default: a good one.

        Messages that match `hidden` are read as if they were an empty line.
        """
        self.log: list[LoggedRequest] = []
        self.most = 4 * len(plan.pages) * 8
        """Requests after which it stops, since a conversation should have ended."""
        self._plan, self._window = plan, window
        self._summary, self._hidden, self._thinks = summary, hidden, thinks
        self.at_summary: Callable[[], object] | None = None
        """Called when a summary is asked for, before the answer."""
        self._sent = dict[tuple[bool, str], list[str]]()
        provider.script(self.answer)

    def answer(self, request: Request) -> Answer:
        """Decide from the bytes of the request; only the count of tokens knows what was before."""
        body = request.body
        read = read_request(body)
        logged = self._log_request(body, read)
        tokens = logged.tokens
        if logged.was_refused:
            message = f"maximum context length is {self._window} tokens, not {tokens}"
            error = {"code": "context_length_exceeded", "message": message}
            return {"status": 400, "body": {"error": error}}
        if len(self.log) > self.most:
            return STOPPED
        if read.asks_for_summary and self.at_summary:
            self.at_summary()
        turn = self._decide(read)
        written = estimate_text(json.dumps(turn, ensure_ascii=False))
        usage = {
            "prompt_tokens": tokens,
            "completion_tokens": written,
            "total_tokens": tokens + written,
            "prompt_tokens_details": {"cached_tokens": logged.cached},
        }
        # some answers have no thinking: providers differ in what they want of such a loop
        thinking = f"What is next? {len(self.log)}. " * 9 if len(self.log) % 3 else ""
        return {**turn, "usage": usage, "portion": 400, "thinking": thinking * self._thinks}

    def _decide(self, read: ReadRequest) -> Answer:
        if read.asks_for_summary and self._summary is not None:
            return {"text": self._summary}
        if self._hidden:
            read = hide_messages(read, self._hidden)
        if is_lost(read.text):
            return STOPPED
        return decide(self._plan, read)

    def _log_request(self, body: Mapping[str, Any], read: ReadRequest) -> LoggedRequest:
        sent = split_request(body)
        sizes = [count_tokens(part) for part in sent]
        cached = max((count_shared(before, sent) for before in self._sent.values()), default=0)
        before = self._sent.get((False, read.system), [])
        shared = 0 if read.asks_for_summary else count_shared(before, sent)
        logged = LoggedRequest(
            tokens=sum(sizes),
            cached=sum(sizes[:cached]),
            changed=0 if read.asks_for_summary else sum(map(len, before[shared:])),
            is_summary=read.asks_for_summary,
            chapter=read.chapter if read.newest >= 0 else 0,
            has_newest=self._has_newest(read),
            was_refused=sum(sizes) > self._window,
        )
        self._sent[read.asks_for_summary, read.system] = sent
        self.log.append(logged)
        return logged

    def _has_newest(self, read: ReadRequest) -> bool:
        if read.newest < 0:
            return False
        said = render_message(read.messages[read.newest])
        return self._plan.build_message(read.chapter) in said


def hide_messages(read: ReadRequest, hidden: re.Pattern[str]) -> ReadRequest:
    """The request with an empty line in place of every message of the user's side that matches."""
    messages = [
        {"role": "user", "content": "\n"}
        if one["role"] == "user" and hidden.search(render_message(one))
        else one
        for one in read.messages
    ]
    return ReadRequest(messages, read.tools)


def split_request(body: Mapping[str, Any]) -> list[str]:
    """What a prompt cache compares: the tools, then message after message."""
    parts = [body.get("tools", []), *body["messages"]]
    return [json.dumps(part, ensure_ascii=False) for part in parts]


def count_shared(before: Sequence[str], sent: Sequence[str]) -> int:
    """How many parts two requests begin with alike."""
    pairs = zip(before, sent, strict=False)
    return next(
        (number for number, (one, two) in enumerate(pairs) if one != two),
        min(len(before), len(sent)),
    )


@lru_cache(maxsize=4096)
def count_tokens(part: str) -> int:
    """The tokens of a part of a request, as a provider would count them."""
    return estimate_text(part)
