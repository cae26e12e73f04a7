"""The users of a service: each talks in threads of its own, stops, steers, leaves, comes back."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import httpx2
from provider import Answer, Request

STEPS = 3
"""Calls of the tool in one turn."""
TURNS = 2
"""Messages in one conversation."""
PATIENCE = 120.0
"""Seconds until a thread must be free, or the service back."""
ACTS = ("none", "stop", "steer", "leave")
Json = dict[str, Any]


def answer_request(request: Request) -> Answer:
    """Be the model: note each step of the user's last message, then end the turn."""
    messages = request.body["messages"]
    asked = [
        (number, match)
        for number, message in enumerate(messages)
        if message["role"] == "user"
        and (match := re.match(r"(user-\d+) turn (\S+)", read_text(message)))
    ]
    number, match = asked[-1]
    user, turn = match.groups()
    step = sum(bool(message.get("tool_calls")) for message in messages[number:])
    if step == STEPS:
        return {"text": f"done {user} turn {turn}", "wait": 0.02}
    call = {"name": "note", "args": {"user": user, "step": f"{turn}.{step}"}}
    return {"tool_calls": [call], "wait": 0.02}


def read_text(message: Mapping[str, Any]) -> str:
    """Return the text of a message, which may be a list of parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


@dataclass
class User:
    """One user of the service."""

    name: str
    folder: Path
    client: httpx2.AsyncClient
    dice: Random
    threads: list[str] = field(default_factory=list[str])
    turns: list[str] = field(default_factory=list[str])
    """The turns that have ended with their answer."""
    faults: list[str] = field(default_factory=list[str])
    acts: Counter[str] = field(default_factory=Counter[str])
    steered: set[str] = field(default_factory=set[str])
    """IDs of the messages that the events of this user's runs have named."""
    sent: set[str] = field(default_factory=set[str])
    """IDs of the messages that the service has accepted."""
    is_calm: bool = False
    """Whether it only ends what it has begun."""

    async def talk(self) -> None:
        """Hold conversations until it is calm."""
        while not self.is_calm:
            self.threads.append(str(uuid4()))
            for number in range(TURNS):
                await self.take_turn(f"{self.threads[-1][:8]}-{number}", is_first=not number)

    async def take_turn(self, turn: str, *, is_first: bool) -> None:
        """Send a message, and go on with the thread until its turn has ended."""
        text = f"{self.name} turn {turn}"
        mode = "ask" if self.dice.random() < 0.5 else "auto"
        begin = {"text": text, "folder": str(self.folder), "mode": mode}
        action, body, last = ("chat" if is_first else "say"), begin, Json()
        for _ in range(40):
            last = await self.follow(action, body)
            if last.get("summary") == f"done {text}":
                self.turns.append(turn)
                return
            was_resumed, action, body = action == "resume", "resume", {"question": ""}
            if last["type"] == "question":
                body = {"question": last["id"]}
            elif last["type"] != "interrupted" and (was_resumed or last["type"] != "refused"):
                state = await self.show()
                if state is None:  # killed before the thread was recorded
                    action, body = "chat", begin
                elif state["texts"] and text not in state["texts"]:
                    action, body = "say", begin
                elif state["status"] == "idle":
                    self.turns.append(turn)
                    if last["type"] == "completion":
                        self.faults.append(f"{text} ended with {last['summary']!r}")
                    return
        self.faults.append(f"{text} has no end: {last}")

    async def follow(self, action: str, body: Json) -> Json:
        """Follow a run, and act once in its middle; return its last event, or what became of it."""
        act = "none" if self.is_calm else self.dice.choice(ACTS)
        moment, last = self.dice.randint(1, 7), Json()
        is_stopped = False
        try:
            async with asyncio.timeout(PATIENCE), self.open(action, body) as lines:
                number = 0
                async for line in lines:
                    last, number = json.loads(line), number + 1
                    self.check_event(last)
                    if number != moment:
                        continue
                    if act == "leave":
                        self.acts["leave"] += 1
                        return {"type": "left"}
                    is_stopped |= await self.act(act)
        except httpx2.HTTPError:
            return {"type": "lost"}
        except TimeoutError:
            self.faults.append(f"{self.name}: {action} hangs after {last}")
            return {"type": "left"}
        return await self.explain_end(last, action, body, is_stopped)

    async def explain_end(self, last: Json, action: str, body: Json, is_stopped: bool) -> Json:
        """Return the last event, unless it should not have been the last."""
        kind = last.get("type", "lost")
        if kind == "refused" and last["busy"]:  # a run that was left is being closed
            await asyncio.sleep(0.1)
            return await self.follow(action, body)
        # a message after a kill is refused until the turn before it is resumed
        expected = {"completion", "question", "lost", "refused"}
        expected |= {"interrupted"} if is_stopped else set()
        if kind not in expected:
            self.faults.append(f"{self.name}: {action} ended with {last}")
            return {"type": "left"}
        return last if kind != "lost" else {"type": "lost"}

    async def act(self, act: str) -> bool:
        """Do something to the run under way; return whether it was stopped."""
        try:
            if act == "stop":
                reply = await self.client.post(f"/threads/{self.threads[-1]}/stop")
                self.acts[act] += reply.json()["done"]
                return bool(reply.json()["done"])
            if act == "steer":
                body = {"text": f"steer {self.name} {len(self.sent)}"}
                reply = await self.client.post(f"/threads/{self.threads[-1]}/steer", json=body)
                if reply.status_code == 200:
                    self.acts[act] += 1
                    self.sent.add(reply.json()["id"])
        except httpx2.HTTPError:  # the service was killed
            pass
        return False

    def check_event(self, event: Json) -> None:
        """Look for what belongs to another user."""
        if event["type"] == "steered":
            self.steered.add(event["id"])
        others = {*re.findall(r"user-\d+", json.dumps(event))} - {self.name}
        if others or event.get("thread_id", self.threads[-1]) != self.threads[-1]:
            self.faults.append(f"{self.name} was shown {event}")

    async def show(self) -> Json | None:
        """Return the status of the thread, once the service answers; None if it never began."""
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    reply = await self.client.get(f"/threads/{self.threads[-1]}")
                    return reply.json() if reply.status_code == 200 else None
                except httpx2.HTTPError:
                    await asyncio.sleep(0.1)

    def open(self, action: str, body: Json) -> "Lines":
        """Open the lines of a run."""
        return Lines(self.client, f"/threads/{self.threads[-1]}/{action}", body)


class Lines:
    """The lines that the service answers a request with."""

    def __init__(self, client: httpx2.AsyncClient, path: str, body: Json) -> None:
        self._stream = client.stream("POST", path, json=body)

    async def __aenter__(self) -> AsyncIterator[str]:
        return (await self._stream.__aenter__()).aiter_lines()

    async def __aexit__(self, *error: Any) -> None:
        await self._stream.__aexit__(*error)
