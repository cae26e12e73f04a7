"""Plan files of a project: the list of them, and one by its name."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from .errors import UsageError
from .text import text

# The folder of plans, relative to the project
PLANS = ".llc/plans"
# Bytes of a plan
MAX_PLAN_BYTES = 200_000


@dataclass(frozen=True)
class PlanFile:
    """One plan."""

    file: Path
    title: str
    """Its first line with words, without the marks of a heading; empty in an empty file."""
    changed_at: datetime

    @property
    def name(self) -> str:
        """The name of its file without `.md`."""
        return self.file.stem


def list_plans(folder: Path) -> list[PlanFile]:
    """Return the project's plans, the newest first; links are left out."""
    files = (file for file in (folder / PLANS).glob("*.md") if _is_plan(file))
    plans = map(_describe_plan, files)
    return sorted(plans, key=lambda plan: (plan.name, plan.changed_at), reverse=True)


def find_plan(folder: Path, name: str = "") -> Path:
    """Return the plan of this name, path or part of a name; without one, the latest.

    Raises UsageError if there is none, or several.
    """
    plans = list_plans(folder)
    if name and (file := folder / name).is_file():
        return file
    plan_name = name.removesuffix(".md")
    fitting = [plan for plan in plans if plan_name in plan.name]
    exact = [plan for plan in fitting if plan.name == plan_name]
    if exact or (fitting and not name) or len(fitting) == 1:
        return (exact or fitting)[0].file
    if fitting:
        names = ", ".join(plan.name for plan in fitting)
        raise UsageError(
            text("`{name}` matches several plans", name=name),
            hint=text("one of {names}", names=names),
        )
    if not plans:
        raise UsageError(
            text("there are no plans in `{folder}`", folder=PLANS),
            hint="create one with `mcode chat --plan`",
        )
    raise UsageError(text("no plan `{name}`", name=name), hint="list them with `mcode plans list`")


def read_plan_file(file: Path) -> str:
    """Return the plan's text; raises UsageError if it is no text, empty or too large."""
    try:
        data = file.read_bytes() if file.stat().st_size <= MAX_PLAN_BYTES else b""
        content = data.decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            text("cannot read the plan `{file}`: {error}", file=file.name, error=error),
            hint="give a Markdown file in UTF-8",
        ) from error
    if not content:
        raise UsageError(
            text("the plan `{file}` is empty or too large", file=file.name),
            hint=text("a plan has at most {limit} bytes", limit=MAX_PLAN_BYTES),
        )
    return content


def _is_plan(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def _describe_plan(file: Path) -> PlanFile:
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            title = next((line.strip("#* \t\n") for line in lines if line.strip("#* \t\n")), "")
    except OSError:
        title = ""
    changed = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    return PlanFile(file, title[:200], changed)
