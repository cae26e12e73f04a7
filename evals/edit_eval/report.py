"""Tables of the evaluation, and single failures to look at."""

from collections import Counter
from collections.abc import Sequence
from difflib import unified_diff
from statistics import median

from bar import Mark
from case_verdict import CaseVerdict
from growth import SIZES, Growth, quantile
from request import ADVERSARIAL, HONEST, Content
from scoring import Outcome

FATES = ("right", "cosmetic", "refused", "WRONG")
AROUND = 4
LONGEST_SHOWN = 6_000


def show_cases(verdicts: Sequence[CaseVerdict]) -> None:
    """Fates by topic, and what is not right."""
    print(f"{'hand-written cases':44}{'cases':>8}{'right':>8}{'missed':>8}{'mute':>8}{'WRONG':>8}")
    for topic in dict.fromkeys(one.case.topic for one in verdicts):
        fates = Counter(one.fate for one in verdicts if one.case.topic == topic)
        counts = [fates.total(), *(fates[fate] for fate in ("right", "missed", "mute", "WRONG"))]
        print(f"  {topic:42}" + "".join(f"{count:8}" for count in counts))
    for one in verdicts:
        if one.fate != "right":
            print(f"\n{one.fate}: {one.case.topic}: {one.case.name}\n  {one.why}")


def show_edits(outcomes: Sequence[Outcome]) -> None:
    """Fates by kind in per cent, the two halves apart."""
    for title, half in (("normal", HONEST), ("adversarial", ADVERSARIAL)):
        kinds = [kind for kind in half.values() if any(one.kind is kind for one in outcomes)]
        if not kinds:
            continue
        heads = "".join(f"{fate:>10}" for fate in FATES)
        print(f"\n{title + ' edits, per cent':44}{'edits':>8}{heads}{'placed':>10}")
        for group in dict.fromkeys(kind.group for kind in kinds):
            _row(group, [one for one in outcomes if one.kind in kinds and one.kind.group == group])
            for kind in (kind for kind in kinds if kind.group == group):
                _row(f"  {kind.name}", [one for one in outcomes if one.kind is kind])
        _row("all", [one for one in outcomes if one.kind in kinds])


def show_tools(outcomes: Sequence[Outcome]) -> None:
    """Fates by tool; what `edit` can be asked for is asked of each."""
    for title, half in (("normal", HONEST), ("adversarial", ADVERSARIAL)):
        heads = "".join(f"{fate:>10}" for fate in FATES)
        print(f"\n{title + ' edits by tool, per cent':44}{'edits':>8}{heads}{'placed':>10}")
        of = [one for one in outcomes if half.get(one.kind.name) is one.kind]
        for tool in dict.fromkeys(one.request.tool for one in of):
            _row(tool, [one for one in of if one.request.tool == tool])


def _row(name: str, of: Sequence[Outcome]) -> None:
    fates = Counter(one.fate for one in of)
    shares = "".join(f"{100 * fates[fate] / len(of):10.1f}" for fate in FATES)
    placed = [one.placed for one in of if one.placed is not None]
    named = f"{100 * sum(placed) / len(placed):10.0f}" if placed else f"{'-':>10}"
    print(f"  {name:42}{len(of):8}{shares}{named}")


def show_times(outcomes: Sequence[Outcome], growths: Sequence[Growth]) -> None:
    """How long calls took; absolute times are for people, they depend on the machine."""
    if times := [one.answer.seconds * 1000 for one in outcomes]:
        print(
            f"\nof {len(times)} generated edits, milliseconds: median {median(times):.1f},"
            f" p99 {quantile(times, 0.99):.1f}, longest {max(times):.1f}"
        )
    if growths:
        heads = "".join(f"{size:>10,}" for size in SIZES)
        print(f"\n{'milliseconds at so many lines':34}{heads}{'exponent':>10}")
        for one in growths:
            medians = "".join(f"{1000 * median(one.seconds[size]):10.1f}" for size in SIZES)
            print(f"  {one.job:32}{medians}{one.exponent:10.2f}")


def show_marks(marks: Sequence[Mark]) -> None:
    """The verdict."""
    print(f"\n{'the bar':60}{'found':>10}{'bar':>10}")
    for mark in marks:
        print(f"  {mark.what:58}{mark.found:>10}{mark.bar:>10}  {'' if mark.met else 'MISSED'}")


def show_failures(outcomes: Sequence[Outcome], most: int) -> None:
    """Requests that did not end right, with what was meant and what came of it."""
    failed = [one for one in outcomes if one.fate != "right" or one.placed is False]
    for one in failed[:most]:
        print(f"\n{'=' * 100}\n{one.kind.name} {one.number}: {one.fate}, placed: {one.placed}")
        for name, value in one.request.args.items():
            print(
                f"--- {name}:\n{value if isinstance(value, str) else repr(value)}"[:LONGEST_SHOWN]
            )
        print(f"--- places: {[sorted(place) for place in one.request.places]}")
        for place in one.request.places:
            _show_place(one.request.before, min(place))
        for truth in one.request.truths[:1]:
            print("--- meant:\n" + _changes(one.request.before, truth))
        print(f"--- answer:\n{one.answer.error or one.answer.output}"[:LONGEST_SHOWN])
        if one.answer.applied:
            print(f"--- done:\n{one.answer.metadata.get('diff', '')}"[:LONGEST_SHOWN])
    print(f"\n{len(failed)} of {len(outcomes)} did not end right, {min(most, len(failed))} shown")


def _show_place(before: Content, line: int) -> None:
    path, data = next(iter(before.items()))
    lines = data.decode(errors="replace").split("\n")
    first = max(line - 1 - AROUND, 0)
    for number, text in enumerate(lines[first : line + 3 * AROUND], first + 1):
        print(f"{number:6}→{text!r}"[:200])
    print(f"   of {path}, {len(lines)} lines")


def _changes(before: Content, truth: Content) -> str:
    parts = list[str]()
    for path, data in truth.items():
        old, new = (
            content.decode(errors="backslashreplace").split("\n")
            for content in (before.get(path, b""), data)
        )
        parts += list(unified_diff(old, new, lineterm="", n=2))[2:]
    return "\n".join(parts)[:LONGEST_SHOWN]
