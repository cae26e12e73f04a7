"""What a long thread costs that has been compacted: its late steps, and building their view."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

from contenders import MAXAGENT, reading
from gauge import Gauge, Ran
from lengths import text_of
from provider import Answer
from starts import ratio
from steps import SAMPLE, STEPS, take_steps
from table import Row

from maxagent.cli.lazy_imports import without_collector

with without_collector():  # as `mcode resume` does
    from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

    from maxagent.nodes.conversation.cut import Cut
    from maxagent.nodes.conversation.token_estimate import count_used
    from maxagent.nodes.conversation.view import build_view

LONG = 500
"""Steps of a thread of 1,000 messages; on a window of 128,000 tokens it is cut three times."""
CUTS = 3
REPETITIONS = 3
STEEPEST, STEEPEST_CUT = 1.05, 1.2
VIEW_SHARE = 0.02
"""Most that building and measuring the view may be of a step."""
SIZE = 2000


def measure_context(gauge: Gauge, project: Path) -> list[Row]:
    """Threads of different files, since reading one file again and again is a loop."""
    write_parts(project)
    short = [_run(gauge, project, f"short-{n}", STEPS, plain_step) for n in range(REPETITIONS)]
    long = [_run(gauge, project, f"long-{n}", LONG, long_step) for n in range(REPETITIONS)]
    steps = [step_cost(ran, 0, STEPS) for ran in short]
    views = [measure_view(LONG) for _ in range(REPETITIONS)]
    cuts = min(map(count_cuts, long))
    return [
        ratio(f"last {SAMPLE} : first {SAMPLE} of {STEPS} steps", *_ends(short, STEPS), STEEPEST),
        ratio(f"the same of {LONG}, cut on the way", *_ends(long, LONG), STEEPEST_CUT),
        Row("cuts of it", cuts, bar=CUTS, sense="at least"),
        ratio("building the view of 1,000 messages : a step", views, steps, VIEW_SHARE),
    ]


def write_parts(project: Path) -> None:
    """A file for each step."""
    for number in range(LONG):
        (project / f"part-{number}.txt").write_text(f"{number}: a part\n" * 12)


def plain_step(number: int) -> Answer:
    """A turn that reads a file of its own."""
    return read_part(number, "")


def long_step(number: int) -> Answer:
    """The same with two kilobytes of text; the server reports no tokens."""
    return read_part(number, text_of(number))


def read_part(number: int, text: str) -> Answer:
    answer = reading(number, text)
    call = {**answer["tool_calls"][0], "args": {"path": f"part-{number}.txt"}}
    return {**answer, "tool_calls": [call], "usage": None}


def _run(
    gauge: Gauge, project: Path, name: str, steps: int, answer: Callable[[int], Answer]
) -> Ran:
    home = project.with_name(f"context-{name}")
    contender = replace(MAXAGENT, config="context: {model: none}\n")
    return take_steps(gauge, project, home, contender, answer, steps)


def _ends(runs: list[Ran], steps: int) -> tuple[list[float], list[float]]:
    early = [median_step(ran, 0, SAMPLE) for ran in runs]
    return [median_step(ran, steps - SAMPLE, steps) for ran in runs], early


def step_cost(ran: Ran, first: int, last: int) -> float:
    """Seconds of each step in this part of a run."""
    return ran.between(MAXAGENT.first_step + first, MAXAGENT.first_step + last)


def median_step(ran: Ran, first: int, last: int) -> float:
    """The middle one of these steps: one in which the view is cut is another matter."""
    return median(step_cost(ran, number, number + 1) for number in range(first, last))


def count_cuts(ran: Ran) -> int:
    """How often a request has fewer messages than the one before."""
    sizes = [len(request.raw) for request in ran.requests[MAXAGENT.first_step :]]
    return sum(later < earlier for earlier, later in zip(sizes, sizes[1:], strict=False))


def measure_view(steps: int) -> float:
    """Seconds to build and measure the view of a thread once more, with one new message."""
    messages: list[AnyMessage] = [HumanMessage("Make the numbers right", id="request")]
    for number in range(steps):
        messages += build_step(number)
    cut = Cut(
        id="cut",
        upto=str(messages[len(messages) * 4 // 5].id),
        summary="What was done.",
        kept=["request"],
        request="request",
        references={},
        pruned=[str(message.id) for message in messages[-50:-40:2]],
        made_by="bridge",
        before=100_000,
        after=20_000,
        scale=1.0,
        step=steps * 4 // 5,
    )
    spent = list[float]()
    for number in range(steps, steps + 50):
        messages += build_step(number)
        begun = time.process_time()
        count_used(build_view(messages, cut), cut, 5_000)
        spent.append(time.process_time() - begun)
    return median(spent)


def build_step(number: int) -> list[AnyMessage]:
    """An answer of two kilobytes with a call, and its result."""
    marks = {"role": "coder", "step": number + 1}
    call = {"name": "read_file", "args": {"path": f"part-{number}.txt"}, "id": f"call-{number}"}
    answer = AIMessage(
        text_of(number), id=f"answer-{number}", tool_calls=[call], additional_kwargs=marks
    )
    result = ToolMessage(
        text_of(number), id=f"result-{number}", tool_call_id=f"call-{number}", name="read_file"
    )
    return [answer, result]
