"""Let users talk to a service with one Runner, and kill it: no run touches another's.

    python evals/torture/service_torture.py [--users 20] [--seconds 60] [--kills 6] [--seed S]

Each user begins conversations, stops, steers, leaves and comes back at random; the service is
killed meanwhile. In the end each turn must have its answer, each effect must have come once or be
told as unknown, and no thread may hold anything of another user. Exit code 1: something was
violated; the folder is kept. FastAPI is installed in a temporary folder, with pip.
"""

import argparse
import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

import httpx2
from provider import Provider
from service_users import TURNS, User, answer_request

from maxagent import Runner

SERVICE = Path(__file__).with_name("service.py")
FASTAPI = ["fastapi", "annotated-doc"]


@dataclass(frozen=True)
class ServiceRound:
    """How many users talk for how long, and how often the service is killed."""

    users: int
    seconds: float
    kills: int


class Service:
    """The service as a process that can be killed and started again."""

    def __init__(self, folder: Path, endpoint: str, packages: str = "") -> None:
        self.home, self.effects = folder / "home", folder / "effects"
        self.effects.mkdir(parents=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._command = [str(SERVICE), str(self.home), str(self.port), endpoint, str(self.effects)]
        self._environ = {**os.environ, "OPENAI_API_KEY": "key", "PYTHONPATH": packages}
        self._log = folder / "service.log"
        self.address = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it."""
        with self._log.open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, *self._command], env=self._environ, stdout=log, stderr=log
            )

    def kill(self) -> None:
        """Kill it at once."""
        self._process.kill()
        self._process.wait()

    def read_log(self) -> str:
        """Return what it has printed."""
        return self._log.read_text()


def play_round(
    folder: Path, plan: ServiceRound, dice: Random, packages: str = ""
) -> tuple[Counter[str], list[str], str]:
    """Play one round; return what was done, what is wrong, and the service's log."""
    with Provider() as provider:
        provider.script(answer_request)
        service = Service(folder, provider.url, packages)
        service.start()
        try:
            users = asyncio.run(talk_to(service, folder, plan, dice))
        finally:
            service.kill()
    done = sum((user.acts for user in users), Counter[str]())
    done["turns"] = sum(len(user.turns) for user in users)
    done["kills"] = plan.kills
    faults = [fault for user in users for fault in user.faults]
    faults += asyncio.run(judge_threads(service, users))
    log = service.read_log()
    if "Traceback" in log:
        faults.append(f"the service printed {log[log.index('Traceback') :][:2000]}")
    return done, faults, log


async def talk_to(service: Service, folder: Path, plan: ServiceRound, dice: Random) -> list[User]:
    """Let all users talk until the time is over, and end what they have begun."""
    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(base_url=service.address, timeout=90, limits=limits) as client:
        users = list[User]()
        for number in range(plan.users):
            project = folder / f"project-{number}"
            project.mkdir()
            users.append(User(f"user-{number}", project, client, Random(dice.random())))
        await wait_for_answer(client)
        talks = [asyncio.create_task(user.talk()) for user in users]
        for _ in range(plan.kills):
            share = plan.seconds / (plan.kills + 1)
            await asyncio.sleep(dice.uniform(0.7, 1.3) * share)
            service.kill()
            service.start()
            await wait_for_answer(client)
        await asyncio.sleep(plan.seconds / (plan.kills + 1))
        for user in users:
            user.is_calm = True
        await asyncio.gather(*talks)
    return users


async def wait_for_answer(client: httpx2.AsyncClient) -> None:
    """Return once the service answers."""
    async with asyncio.timeout(90):
        while True:
            try:
                await client.get("/threads/none")
                return
            except httpx2.HTTPError:
                await asyncio.sleep(0.1)


async def judge_threads(service: Service, users: list[User]) -> list[str]:
    """Return what is wrong in the threads and with the effects."""
    faults, owners = list[str](), {thread: user for user in users for thread in user.threads}
    async with Runner(home=service.home) as runner:
        for row in runner.threads.list():
            user = owners[row.thread_id]
            state, _ = await runner.read_state(row.thread_id)
            messages = state.get("messages", [])
            texts = [message.text for message in messages]
            if others := [text for text in texts if "user-" in text and user.name not in text]:
                faults.append(f"{user.name} has {others}")
            if row.status != "idle":
                faults.append(f"a thread of {user.name} is {row.status}")
            ids = {str(message.id) for message in messages}
            user.steered -= ids
            user.sent -= ids
            answers = [message.text for message in messages if message.type == "tool"]
            faults += judge_effects(service.effects / user.name, user, answers)
    for user in users:
        if user.steered:
            faults.append(f"{user.name} was told of {user.steered}, which no thread has")
        if len(user.turns) != TURNS * len(user.threads):
            faults.append(f"{user.name}: {len(user.turns)} turns in {len(user.threads)} threads")
    return faults


def judge_effects(file: Path, user: User, answers: list[str]) -> list[str]:
    """Each effect came once; one that was told is there."""
    lines = file.read_text().split() if file.exists() else []
    twice = [line for line, count in Counter(lines).items() if count > 1]
    noted = [text.split()[-1] for text in answers if text.startswith(f"noted {user.name} ")]
    lost = [step for step in noted if step not in lines]
    odd = [text for text in answers if not text.startswith("noted ") and "unknown" not in text]
    return [f"{user.name}: twice {twice}, lost {lost}, told {odd}"] if twice or lost or odd else []


def install_fastapi(folder: Path) -> str:
    """Install FastAPI with pip; return the folder that has it."""
    target = folder / "packages"
    # what it needs besides is here already
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target)]
    subprocess.run([*pip, *FASTAPI], check=True)
    return str(target)


def main() -> int:
    """Play the round that the arguments ask for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=None)
    chosen = parser.parse_args()
    seed = chosen.seed if chosen.seed is not None else time.time_ns() % 2**32
    folder = Path(tempfile.mkdtemp(prefix="service-torture-"))
    plan = ServiceRound(chosen.users, chosen.seconds, chosen.kills)
    done, faults, log = play_round(folder, plan, Random(seed), install_fastapi(folder))
    print(f"{log.split()[0]}, {plan}: {dict(done)}, {len(faults)} faults, seed {seed}")
    print(*faults, sep="\n")
    if not faults:
        shutil.rmtree(folder)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
