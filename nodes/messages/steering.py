"""Steering: the user's messages and choice of mode that reach a turn between two tool calls."""

from collections.abc import Container
from dataclasses import dataclass
from threading import Lock
from uuid import uuid4

from ...config.errors import UsageError
from ...config.settings.schema import ApprovalMode


@dataclass(frozen=True)
class SteeringMessage:
    """One message; its ID is that of the message in the thread."""

    id: str
    text: str
    thread: str


class SteeringQueue:
    """Messages to running threads that they do not have yet. Any thread of Python may use it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._threads = list[str]()
        self._waiting: list[SteeringMessage] = []
        self._taken: list[SteeringMessage] = []
        self._modes: dict[str, ApprovalMode] = {}
        self._mode_readers = set[tuple[str, str]]()

    def begin_run(self, thread: str) -> None:
        """Accept messages to this thread."""
        with self._lock:
            self._threads.append(thread)

    def put(self, text: str, thread: str = "") -> str:
        """Append a message to a thread, by default the only one that runs; return its ID.

        Raises UsageError if it does not run.
        """
        with self._lock:
            running = [name for name in self._threads if thread in ("", name)]
            if len(running) != 1:
                raise UsageError("no turn is running", hint="send the message as a new turn")
            message = SteeringMessage(f"steered-{uuid4().hex}", text, running[0])
            self._waiting.append(message)
            return message.id

    def choose_mode(self, thread: str, mode: ApprovalMode) -> None:
        """Let the running turn of a thread, and its sub-agents, go on in an approval mode.

        Only for a choice that the user makes by a key of their own.
        """
        with self._lock:
            if thread in self._threads:
                self._modes[thread] = mode
                self._forget_readers(thread)

    def take_mode(self, thread: str, sub_id: str = "") -> ApprovalMode | None:
        """Return the mode that was chosen since the turn or this sub-agent last read it."""
        with self._lock:
            if (thread, sub_id) in self._mode_readers:
                return None
            self._mode_readers.add((thread, sub_id))
            return self._modes.get(thread)

    def _forget_readers(self, thread: str) -> None:
        self._mode_readers = {reader for reader in self._mode_readers if reader[0] != thread}

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

    def has_unconfirmed(self, thread: str) -> bool:
        """Whether a message was taken of which nobody knows yet that the thread has it."""
        with self._lock:
            return any(message.thread == thread for message in self._taken)

    def end_run(self, thread: str, message_ids: Container[str]) -> None:
        """Accept no more; what was taken waits again unless the thread has it, by these IDs."""
        with self._lock:
            self._threads = [name for name in self._threads if name != thread]
            self._modes.pop(thread, None)
            self._forget_readers(thread)
            thread_messages = [message for message in self._taken if message.thread == thread]
            undelivered = [message for message in thread_messages if message.id not in message_ids]
            self._waiting = [*undelivered, *self._waiting]
            self._taken = [message for message in self._taken if message.thread != thread]

    def take_unsent(self, thread: str = "") -> list[SteeringMessage]:
        """Remove and return what no thread has, or this one has not, the oldest first."""
        with self._lock:
            unsent = [message for message in self._waiting if thread in ("", message.thread)]
            self._waiting = [message for message in self._waiting if message not in unsent]
            return unsent
