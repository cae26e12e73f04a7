"""The log of a thread's requests: JSON lines, redacted, at most 50 MB.

A line has `type` and `time`. `request` has the messages that are new since the agent's last request
(`from` says how many of that one's are kept), and the hash of the whole request; `answer` and
`error` follow it. `event` has an event of the run.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from langchain_core.messages import AIMessage, BaseMessage

from ...config.security.private_files import make_private_folder, open_private
from ...config.security.redaction import redact_json
from ..resolver import ResolvedModel
from .canonical_request import canonicalize_messages, hash_message, hash_request

MAX_LOG_BYTES = 10_000_000
KEPT_FILES = 5


_numbers = count(1)


@cache
def open_request_log(file: Path) -> "RequestLog":
    """Return the log of that file: one object in a process, since it counts what it has written."""
    return RequestLog(file)


class RequestLog:
    """Appends to one thread's log; a full disk must not stop a run."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._before: dict[str, list[str]] = {}

    def log_request(
        self,
        agent: str,
        model: ResolvedModel,
        messages: Sequence[BaseMessage],
        tools: Sequence[str],
        tools_digest: str,
    ) -> int:
        """Record a request before it is sent; return its number, for its answer."""
        with suppress(OSError):
            self._rotate()
        canonical = canonicalize_messages(messages)
        digests = [hash_message(message) for message in canonical]
        shared_count = _count_common(self._before.get(agent, []), digests)
        self._before[agent] = digests
        number = next(_numbers)
        self._append(
            "request",
            number=number,
            agent=agent,
            model=model.name,
            host=model.host,
            parameters={"temperature": model.temperature, "max_tokens": model.max_tokens},
            tools=list(tools),
            **{"from": shared_count},
            messages=canonical[shared_count:],
            hash=hash_request(digests, tools_digest),
        )
        return number

    def log_answer(
        self, number: int, answer: AIMessage, seconds: float, cost: float | None = None
    ) -> None:
        """Record the answer to a request."""
        self._append(
            "answer",
            number=number,
            seconds=round(seconds, 3),
            text=str(answer.text),
            thinking=str(answer.additional_kwargs.get("reasoning_content", "")),
            tool_calls=[
                {"name": call["name"], "args": call["args"]}
                for call in (*answer.tool_calls, *answer.invalid_tool_calls)
            ],
            usage=dict(answer.usage_metadata or {}),
            cost=cost,
            finish_reason=str(answer.response_metadata.get("finish_reason", "")),
        )

    def log_error(self, number: int, message: str, seconds: float) -> None:
        """Record why a request failed."""
        self._append("error", number=number, seconds=round(seconds, 3), message=str(message))

    def log_event(self, event: Mapping[str, Any]) -> None:
        """Record an event of the run."""
        self._append("event", event=dict(event))

    def _append(self, kind: str, **fields: object) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = redact_json({"type": kind, "time": now, "pid": os.getpid(), **fields})
        with suppress(OSError):
            make_private_folder(self._file.parent)
            text = json.dumps(line, ensure_ascii=False, default=str)
            data = text.encode(errors="backslashreplace")  # names of files may not be UTF-8
            with open(self._file, "ab+", opener=open_private) as stream:
                stream.write(_end_half_line(stream) + data + b"\n")

    def _rotate(self) -> None:
        if not self._file.exists() or self._file.stat().st_size < MAX_LOG_BYTES:
            return
        for number in range(KEPT_FILES - 1, 0, -1):
            older = name_rotated(self._file, number)
            if (newer := name_rotated(self._file, number - 1)).exists():
                newer.replace(older)
        self._before = {}  # the new file must be readable without the old ones


def _end_half_line(stream: BinaryIO) -> bytes:
    """Return a line end if the file ends with half a line, as a kill leaves it."""
    if stream.seek(0, os.SEEK_END) == 0:
        return b""
    stream.seek(-1, os.SEEK_END)
    return b"" if stream.read(1) == b"\n" else b"\n"


def name_rotated(file: Path, number: int) -> Path:
    """Return the name of the log's file with this number; 0 is the newest."""
    return file.with_name(f"{file.name}.{number}") if number else file


def hash_tools(schemas: Sequence[Mapping[str, Any]]) -> str:
    """Return the hash of the offered tools."""
    text = json.dumps(list(schemas), sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _count_common(before: Sequence[str], now: Sequence[str]) -> int:
    for number, (digest, other) in enumerate(zip(before, now, strict=False)):
        if digest != other:
            return number
    return min(len(before), len(now))
