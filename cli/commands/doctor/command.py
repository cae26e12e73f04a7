"""`mcode doctor`: check the machine and suggest remedies."""

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import exit_codes, paths
from ....config.errors import UsageError
from ....config.security.redaction import redact
from ...i18n.catalogs import get_language, t, use_language
from ...rendering.output import echo, echo_json, echo_wrapped
from ...rendering.table import GAP, align_columns
from ...rendering.text_width import measure_width

if TYPE_CHECKING:
    from .checks import DoctorCheck, DoctorEnvironment


REMEDY = "      →"


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Write a report to attach to an issue.")
    ] = False,
) -> None:
    """Check this machine: programs, configuration, provider and key, data folder.

    Works offline. Exit codes: 0 no failures, 1 some check failed.

    --report writes the checks to a file in the current folder, with versions, settings without
    keys, counts of threads, the last internal error and the last debug log.
    """
    language = get_language()
    if as_json or report:
        use_language("en")  # a program or a maintainer reads it
    surroundings, checks = run_checks(Path.cwd())
    if report:
        _write_report(checks, surroundings, language)
    if as_json:
        echo_json([asdict(each) for each in checks])
    elif not report:
        print_checks(checks)
    raise typer.Exit(
        exit_codes.FAILED if any(each.status == "fail" for each in checks) else exit_codes.DONE
    )


def _write_report(
    checks: "Sequence[DoctorCheck]", environment: "DoctorEnvironment", language: str
) -> None:
    from .report import write_report

    file = write_report(Path.cwd(), checks, environment)
    use_language(language)
    echo(t("doctor.report", file=file), err=True)


def run_checks(folder: Path) -> "tuple[DoctorEnvironment, Sequence[DoctorCheck]]":
    """Run all checks for a folder; no event loop may run in this thread."""
    from .checks import CHECKS

    environment = _load_environment(folder)
    return environment, [_run_check(check, environment) for check in CHECKS]


def _run_check(
    check: "Callable[[DoctorEnvironment], DoctorCheck]", environment: "DoctorEnvironment"
) -> "DoctorCheck":
    """Run one check; an error that it does not foresee is its row, not the report's end."""
    from .checks import DoctorCheck

    try:
        return check(environment)
    except Exception as error:
        name = check.__name__.removeprefix("check_").removeprefix("folder_")
        reason = redact(f"{type(error).__name__}: {error}")
        return DoctorCheck(name, "warn", t("doctor.broken_check", reason=reason))


def _load_environment(folder: Path) -> "DoctorEnvironment":
    from ....config.settings.loader import load_settings
    from ....tools.permissions.policy import build_policy
    from ....tools.workspace import Workspace
    from .checks import DoctorEnvironment

    home = paths.locate_home()
    try:
        loaded = load_settings(folder, home)
        workspace = Workspace(folder, tuple(loaded.settings.security.ignore_patterns))
        build_policy(loaded, workspace, usual="ask")  # the rules must be valid, too
    except UsageError as problem:
        return DoctorEnvironment(os.environ, home, None, problem)
    return DoctorEnvironment(os.environ, home, loaded, None)


def print_checks(checks: "Sequence[DoctorCheck]") -> None:
    """Print one line for each check and one for its remedy; wrap long lines with an indent."""
    from ...rendering.definition_list import format_definition, get_terminal_width

    heads = align_columns(
        [[t(f"doctor.{row.status}"), t(f"doctor.name.{row.name}")] for row in checks]
    )
    names = max(map(measure_width, heads)) + len(GAP)
    columns = get_terminal_width()
    indent = names if columns >= 2 * names else len(REMEDY) + 1
    for head, check in zip(heads, checks, strict=True):
        lines = [*format_definition(head, check.detail, indent, columns)]
        if check.remedy:
            lines += format_definition(REMEDY, check.remedy, len(REMEDY) + 1, columns)
        echo_wrapped("\n".join(lines))
