"""Steering: messages of the user that reach a running turn between two tool calls."""

from collections.abc import Container
from dataclasses import dataclass
from threading import Lock
from uuid import uuid4

from ...config.errors import UsageError


@dataclass(frozen=True)
class SteeringMessage:
    """One message; its ID is that of the message in the thread."""

    id: str
    text: str
    thread: str


class SteeringQueue:
    """Messages to the running thread that it does not have yet. Any thread of Python may use it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread = ""
        self._waiting: list[SteeringMessage] = []
        self._taken: list[SteeringMessage] = []

    def begin_run(self, thread: str) -> None:
        """Accept messages to this thread."""
        with self._lock:
            self._thread = thread

    def put(self, text: str) -> str:
        """Append a message and return its ID; raise UsageError if no thread runs."""
        with self._lock:
            if not self._thread:
                raise UsageError("no turn is running", hint="send the message as a new turn")
            message = SteeringMessage(f"steered-{uuid4().hex}", text, self._thread)
            self._waiting.append(message)
            return message.id

    def take(self, thread: str) -> list[SteeringMessage]:
        """Return what waits for this thread; from now on it cannot be taken back."""
        with self._lock:
            messages = [message for message in self._waiting if message.thread == thread]
            self._waiting = [message for message in self._waiting if message.thread != thread]
            self._taken += messages
            return messages

    def take_back(self, message_id: str) -> bool:
        """Remove a message; return False if the thread has taken it already."""
        with self._lock:
            left = [message for message in self._waiting if message.id != message_id]
            was_waiting = len(left) < len(self._waiting)
            self._waiting = left
            return was_waiting

    def confirm(self, message_ids: Container[str]) -> list[SteeringMessage]:
        """Return what was taken and is now in the thread, by these IDs; each message once."""
        with self._lock:
            confirmed = [message for message in self._taken if message.id in message_ids]
            self._taken = [message for message in self._taken if message.id not in message_ids]
            return confirmed

    @property
    def has_unconfirmed(self) -> bool:
        """Whether a message was taken of which nobody knows yet that the thread has it."""
        return bool(self._taken)

    def end_run(self, message_ids: Container[str]) -> None:
        """Accept no more; what was taken waits again unless the thread has it, by these IDs."""
        with self._lock:
            self._thread = ""
            undelivered = [message for message in self._taken if message.id not in message_ids]
            self._waiting, self._taken = [*undelivered, *self._waiting], []

    def take_unsent(self) -> list[SteeringMessage]:
        """Remove and return what no thread has, the oldest first."""
        with self._lock:
            unsent, self._waiting = self._waiting, []
            return unsent
