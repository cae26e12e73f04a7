"""What a step costs, in time and on the disk, and what going on with a long thread costs."""

from collections.abc import Callable
from pathlib import Path
from statistics import median

from contenders import CONTENDERS, EDITOR, HTTPX, LANGGRAPH, MAXAGENT, Contender, editing, reading
from gauge import Gauge, Ran
from prompts import share_repeated, tool_sizes
from provider import Answer
from starts import ratio
from table import Row

STEPS = 200
SAMPLE = 20
REPETITIONS = 3


def measure_steps(gauge: Gauge, project: Path) -> list[Row]:
    """All programs read a file 200 times, ours also edits one; then threads are gone on with."""
    runs: dict[str, list[Ran]] = {contender.name: [] for contender in CONTENDERS}
    edits: list[Ran] = []
    for repetition in range(REPETITIONS):
        for contender in CONTENDERS:
            home = _home(project, contender, repetition)
            runs[contender.name].append(take_steps(gauge, project, home, contender, reading))
        home = project.with_name(f"edits-{repetition}")
        edits.append(take_steps(gauge, project, home, EDITOR, editing))
    spent = {
        contender.name: [_step(contender, ran) for ran in runs[contender.name]]
        for contender in CONTENDERS
    }
    return [
        ratio("a step, mcode : bare LangGraph", spent["mcode"], spent[LANGGRAPH.name], 3.0),
        ratio("a step, mcode : bare httpx", spent["mcode"], spent[HTTPX.name]),
        ratio("a step, bare LangGraph : bare httpx", spent[LANGGRAPH.name], spent[HTTPX.name]),
        _growth("last 20 : first 20 steps, mcode", MAXAGENT, runs["mcode"], 1.3),
        _edit_row(edits, spent["mcode"]),
        _growth("last 20 : first 20 steps that edit, mcode", EDITOR, edits),
        *_prompt_rows(runs["mcode"], edits),
        _memory_row(runs),
        *_disk_rows(project),
        *_resume_rows(gauge, project),
    ]


def take_steps(
    gauge: Gauge,
    project: Path,
    home: Path,
    contender: Contender,
    answer: Callable[[int], Answer],
    steps: int = STEPS,
) -> Ran:
    """Take the steps; then the model refuses, so that the thread can be gone on with."""
    ran = contender.run(gauge, project, home, [answer(number) for number in range(steps)])
    asked, failed = len(ran.marks), b"Error: " in ran.requests[-1].raw
    if asked != contender.first_step + steps + 1 or failed:
        raise SystemExit(
            f"{contender.name}: {asked} requests, or a failed tool:\n{ran.said[-2000:]}"
        )
    return ran


def _step(contender: Contender, ran: Ran, first: int = 0, last: int = STEPS) -> float:
    return ran.between(contender.first_step + first, contender.first_step + last)


def _growth(what: str, contender: Contender, runs: list[Ran], bar: float | None = None) -> Row:
    early = [_step(contender, ran, 0, SAMPLE) for ran in runs]
    late = [_step(contender, ran, STEPS - SAMPLE, STEPS) for ran in runs]
    return ratio(what, late, early, bar)


def _edit_row(edits: list[Ran], reads: list[float]) -> Row:
    return ratio(
        "a step that edits : a step that reads, mcode",
        [_step(EDITOR, ran) for ran in edits],
        reads,
    )


def _prompt_rows(reads: list[Ran], edits: list[Ran]) -> list[Row]:
    first = MAXAGENT.first_step
    shares = [share_repeated(ran.requests[first:]) for ran in (*reads, *edits)]
    what = "share of each prompt that the next one repeats"
    coder = tool_sizes(reads[0].requests[first])
    return [
        Row(what, min(shares), bar=1.0, sense="at least"),
        Row("characters of the coder's tools", sum(coder.values()), f"{len(coder)} tools"),
    ]


def _memory_row(runs: dict[str, list[Ran]]) -> Row:
    ours, theirs = (
        median(ran.memory for ran in runs[contender.name]) for contender in (MAXAGENT, LANGGRAPH)
    )
    detail = f"{ours:.0f} MB : {theirs:.0f} MB"
    return Row("most memory at once, mcode : bare LangGraph", ours / theirs, detail)


def _disk_rows(project: Path) -> list[Row]:
    ours, theirs = (
        median(disk_used(_home(project, contender, number)) for number in range(REPETITIONS))
        for contender in (MAXAGENT, LANGGRAPH)
    )
    edits = median(disk_used(project.with_name(f"edits-{n}")) for n in range(REPETITIONS))
    detail = f"{ours / 1000:,.0f} kB : {theirs / 1000:,.0f} kB"
    return [
        Row("disk of 200 steps, mcode : bare LangGraph", ours / theirs, detail),
        Row("disk of 200 steps that edit, kB", edits / 1000),
    ]


def _resume_rows(gauge: Gauge, project: Path) -> list[Row]:
    """Going on, to the first request; the model refuses it, so it can be done again."""
    spent: dict[str, list[float]] = {LANGGRAPH.name: [], MAXAGENT.name: []}
    for repetition in range(REPETITIONS + 2):
        for contender in (LANGGRAPH, MAXAGENT):
            home = _home(project, contender, repetition % REPETITIONS)
            spent[contender.name].append(contender.run(gauge, project, home, again=True).marks[0])
    what = "to the first request of a resume after 200 steps"
    return [ratio(what, spent[MAXAGENT.name], spent[LANGGRAPH.name])]


def _home(project: Path, contender: Contender, repetition: int) -> Path:
    return project.with_name(f"steps-{repetition}-{contender.name.replace(' ', '-')}")


def disk_used(home: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
