"""How far the harness carries weak models: thirty scripted ones on ten small repositories.

    python evals/harness_eval/harness_eval.py [--only MODEL] [--save]

No model is asked. For each model: how many runs ended right (`verified`, or `failed` where nothing
was repaired), requests, tokens (bytes sent / 4), and how many bytes of a prefix that was sent once
were sent differently later, which a provider's cache would lose. The figures are compared with
those of the last release in `figures.json`, which `--save` writes. Exit code 1 when fewer runs
end right, or a total is more than 5 % off.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path += [str(FOLDER.parents[1] / "tests" / name) for name in ("fixtures", "e2e")]

from program import Program  # noqa: E402
from provider import Answer, Provider, Request  # noqa: E402
from repositories import REPOSITORIES, REQUEST, Repository  # noqa: E402
from weak_models import DONE, MODELS, NEVER_RIGHT, TAKEN_BACK, Model  # noqa: E402

FIGURES = FOLDER / "figures.json"
TOLERANCE = 0.05
ROLES = {"You are the architect": "architect", "You are the coder": "coder"}


@dataclass(frozen=True)
class Score:
    """What came of some runs."""

    runs: int = 0
    right: int = 0
    requests: int = 0
    tokens: int = 0
    prefix_bytes: int = 0

    def __add__(self, other: "Score") -> "Score":
        names = asdict(self)
        return Score(**{name: names[name] + getattr(other, name) for name in names})


def main() -> int:
    """Run all, print the table, compare; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", help="one model")
    parser.add_argument(
        "--save", action="store_true", help="keep the figures as those of a release"
    )
    chosen = parser.parse_args()
    repositories = [repository for repository in REPOSITORIES if repository.can_run]
    for repository in REPOSITORIES:
        if repository not in repositories:
            print(f"SKIPPED {repository.name}: this machine has no {repository.program}")
    scores = dict[str, Score]()
    for name in [chosen.only] if chosen.only else MODELS:
        scores[name] = sum((run(name, repository) for repository in repositories), Score())
        print(format_row(name, scores[name]), flush=True)
    total = sum(scores.values(), Score())
    print(format_row("all", total))
    if chosen.only:
        return 0
    if chosen.save:
        FIGURES.write_text(json.dumps(asdict(total), indent=2) + "\n", encoding="utf-8")
        return 0
    faults = compare(total, Score(**json.loads(FIGURES.read_text("utf-8"))))
    print("\n".join(faults) or "as in the last release")
    return 1 if faults else 0


def run(name: str, repository: Repository) -> Score:
    """Let a model repair a repository."""
    with tempfile.TemporaryDirectory(prefix="harness-") as folder, Provider() as provider:
        program = Program(Path(folder), provider.url)
        for path, content in repository.files.items():
            (program.project / path).write_text(content, encoding="utf-8")
        provider.script(ScriptedRoles(MODELS[name], repository))
        ended = program.task("--apply", "--trust", request=REQUEST, LLC_TASK__REPAIR_ROUNDS="2")
        outcome = next((e["outcome"] for e in ended.events if e["type"] == "completion"), "none")
        expected = "failed" if name in NEVER_RIGHT else "verified"
        if outcome != expected:
            print(f"  {name} / {repository.name}: {outcome}, not {expected}", flush=True)
        sent = sum(len(request.raw) for request in provider.requests)
        return Score(
            runs=1,
            right=outcome == expected,
            requests=len(provider.requests),
            tokens=sent // 4,
            prefix_bytes=0 if name in TAKEN_BACK else count_changed_bytes(provider.requests),
        )


class ScriptedRoles:
    """Answers for an architect, a coder that is the weak model, and a tester."""

    def __init__(self, model: Model, repository: Repository) -> None:
        self._coder = iter(model(repository))

    def __call__(self, request: Request) -> Answer:
        """Answer one request."""
        match find_role(request):
            case "architect":
                return {"text": "Repair the fault in the one source file."}
            case "coder":
                return next(self._coder, DONE)
            case _:
                return {"text": "Accepted."}


def find_role(request: Request) -> str:
    """Return whose request it is."""
    system = str(request.whole["messages"][0]["content"])
    return next((ROLES[start] for start in ROLES if system.startswith(start)), "tester")


def count_changed_bytes(requests: Sequence[Request]) -> int:
    """Count the bytes that each role's requests do not repeat of the one before."""
    last, changed = dict[str, bytes](), 0
    for request in requests:
        role = find_role(request)
        before = last.get(role, b"").removesuffix(b"]}")
        changed += len(before) - len(os.path.commonprefix([before, request.raw]))
        last[role] = request.raw
    return changed


def format_row(name: str, score: Score) -> str:
    """Return a row of the table."""
    counts = f"{score.right:4}/{score.runs:<4}{score.requests:7,}{score.tokens:12,}"
    return f"{name:42}{counts}{score.prefix_bytes:8,}"


def compare(total: Score, release: Score) -> list[str]:
    """Return what is worse than in the release, or otherwise more than 5 % off."""
    faults = list[str]()
    if total.right < release.right:
        faults.append(f"{total.right} runs ended right, {release.right} in the last release")
    if total.prefix_bytes:
        faults.append(f"{total.prefix_bytes} bytes of prefixes changed")
    for name in ("requests", "tokens"):
        old, new = getattr(release, name), getattr(total, name)
        if abs(new - old) > TOLERANCE * old:
            faults.append(f"{name}: {new:,}, {old:,} in the last release: say why in the changelog")
    return faults


if __name__ == "__main__":
    sys.exit(main())
