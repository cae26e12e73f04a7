"""A client of `mcode acp`: an editor as a test needs it."""

import json
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from program import Program
from warm_start import start_python

PATIENCE = 60
Json = dict[str, Any]
YES = {"outcome": {"outcome": "selected", "optionId": "allow"}}
CANCELLED = {"outcome": {"outcome": "cancelled"}}


class AcpClient:
    """Sends requests, keeps updates, and answers what it is asked."""

    def __init__(
        self,
        program: Program,
        url: str,
        version: int = 1,
        answer: Callable[[str, Json], Json | None] = lambda method, params: YES,
        **capabilities: Any,
    ) -> None:
        """`answer` returns the result of a request of the agent; None leaves it open."""
        environ = {**program.environ, "OPENAI_BASE_URL": url}
        arguments = ["-m", "maxagent", "acp"]
        self.process = start_python(arguments, program.project, environ, subprocess.PIPE)
        self._answer, self._number = answer, 0
        self.answers: dict[Any, Json] = {}
        self.updates: list[Json] = []
        self.asked: list[Json] = []
        self._changed = threading.Condition()
        self._is_over = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        name = "clientCapabilities" if version == 1 else "capabilities"
        about = {} if version == 1 else {"info": {"name": "test", "version": "1"}}
        self.greeting = self.call(
            "initialize", protocolVersion=version, **{name: capabilities}, **about
        )

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._take(json.loads(line))
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _take(self, message: Json) -> None:
        if "method" not in message:
            answers: Any = self.answers
            with self._changed:
                answers[message["id"]] = message
                self._changed.notify_all()
            return
        if "id" in message:
            result = self._answer(message["method"], message["params"])
            if result is not None:
                with suppress(OSError, ValueError):  # the agent, or this end, is gone
                    self.send({"id": message["id"], "result": result})
        with self._changed:
            if "id" in message:
                self.asked.append(message)
            elif message["method"] == "session/update":
                self.updates.append(message["params"]["update"])
            self._changed.notify_all()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message of JSON-RPC."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}))

    def write(self, line: str) -> None:
        """Send a line as it is."""
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def begin(self, method: str, **params: Any) -> int:
        """Send a request; return its ID."""
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        return self._number

    def wait(self, number: int | None) -> Json:
        """Return the result of a request, or its error."""
        self.wait_for(lambda: number in self.answers)
        answer = self.answers[number]
        return answer["result"] if "result" in answer else {"error": answer["error"]}

    def call(self, method: str, **params: Any) -> Json:
        """Send a request and return its result, or its error."""
        return self.wait(self.begin(method, **params))

    def prompt(self, session: str, text: str) -> int:
        """Send a text as a prompt; return the request's ID."""
        blocks = [{"type": "text", "text": text}]
        return self.begin("session/prompt", sessionId=session, prompt=blocks)

    def cancel(self, session: str) -> None:
        """Cancel the turn."""
        self.send({"method": "session/cancel", "params": {"sessionId": session}})

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        """Wait until something has come."""
        with self._changed:
            assert self._changed.wait_for(lambda: is_so() or self._is_over, PATIENCE)
        assert is_so(), "the agent has ended"

    def wait_for_update(self, text: str) -> None:
        """Wait for an update with this text in it."""
        self.wait_for(lambda: any(text in json.dumps(update) for update in self.updates))

    def text(self, kind: str = "agent_message_chunk") -> str:
        """Return the text of all updates of this kind."""
        chunks = [update for update in self.updates if update["sessionUpdate"] == kind]
        return "".join(update["content"]["text"] for update in chunks)

    def close(self) -> int:
        """End the agent as an editor that closes does; return its exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def end(self) -> None:
        """End the agent as nobody would, and close what it used."""
        with self.process:
            self.process.kill()
            self._reader.join(PATIENCE)
