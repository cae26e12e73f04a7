"""What a step costs over each protocol, and whether it grows."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from anthropic_provider import AnthropicProvider
from contenders import MAXAGENT, Contender, reading
from gauge import Gauge, Ran
from provider import Answer, Provider
from responses_provider import ResponsesProvider
from starts import ratio
from steps import SAMPLE, STEPS, take_steps
from table import Row

REPETITIONS = 3
DEAREST = 1.15
"""Most that a step may cost, compared with chat completions."""
STEEPEST = 1.1
"""Most that the last steps may cost, compared with the first ones."""


@dataclass(frozen=True)
class Protocol:
    """A protocol and a model that is asked over it."""

    name: str
    model: str
    server: Callable[[], Provider]


CHAT = Protocol("chat completions", "openai/bench", Provider)
OTHERS: Sequence[Protocol] = [
    Protocol("Responses", "openai/gpt-5.3-codex", ResponsesProvider),
    Protocol("Anthropic Messages", "anthropic/claude-sonnet-5-5", AnthropicProvider),
]


def measure_dialects(gauge: Gauge, project: Path) -> list[Row]:
    """The same 200 steps over each protocol, in turns; the model thinks before each call."""
    protocols = [CHAT, *OTHERS]
    runs: dict[str, list[Ran]] = {protocol.name: [] for protocol in protocols}
    with ExitStack() as stack:
        servers = {each.name: stack.enter_context(each.server()) for each in protocols}
        for repetition in range(REPETITIONS):
            for protocol in protocols:
                home = project.with_name(f"dialect-{repetition}-{protocol.name.replace(' ', '-')}")
                own = Gauge(servers[protocol.name], project.parent)
                ran = take_steps(own, project, home, use_model(protocol.model), thinking_step)
                runs[protocol.name].append(ran)
    spent = {name: [step_cost(ran, 0, STEPS) for ran in each] for name, each in runs.items()}
    rows: list[Row] = []
    for protocol in OTHERS:
        name, own_runs = protocol.name, runs[protocol.name]
        early = [step_cost(ran, 0, SAMPLE) for ran in own_runs]
        late = [step_cost(ran, STEPS - SAMPLE, STEPS) for ran in own_runs]
        rows += [
            ratio(f"a step, {name} : {CHAT.name}", spent[name], spent[CHAT.name], DEAREST),
            ratio(f"last {SAMPLE} : first {SAMPLE} steps, {name}", late, early, STEEPEST),
        ]
    return rows


def use_model(model: str) -> Contender:
    """Return `mcode` with another model."""
    start = [model if word == "openai/bench" else word for word in MAXAGENT.start]
    return replace(MAXAGENT, start=start)


def thinking_step(number: int) -> Answer:
    """A turn that thinks, then reads the small file."""
    return {**reading(number), "thinking": f"{number}: what do the notes say about the numbers?"}


def step_cost(ran: Ran, first: int, last: int) -> float:
    """Return the seconds of each step in this part of a run."""
    return ran.between(MAXAGENT.first_step + first, MAXAGENT.first_step + last)
