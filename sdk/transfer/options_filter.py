"""Imported options that are kept: those that make a thread stricter, none that loosen it."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from ...config.errors import UsageError
from ...config.plan_files import PLANS
from ...nodes.options import FOR_ONE_MESSAGE, Options
from ...tools.filesystem.plan_file import make_plan_path

_PLAN_FILE = re.compile(rf"{re.escape(PLANS)}/[\w-]{{1,80}}\.md")
_OUT = re.compile(r"^/|(^|/)\.\.(/|$)|\0")


def filter_options(value: object, graph: str, request: str) -> Options:
    """Return the options to keep; raises UsageError if required ones are invalid.

    Approval mode, model, endpoint, `apply`, profile and the rest are chosen by the user who
    imports.
    """
    options = cast("dict[str, Any]", value) if isinstance(value, dict) else dict[str, Any]()
    safe: Options = {"mode": "read-only"} if options.get("mode") == "read-only" else {}
    if options.get("memory") is False:
        safe["memory"] = False
    if options.get("tests_for"):
        safe["tests_for"] = _validate_files([options["tests_for"]])[0]
    if graph == "edit":
        safe["files"] = _validate_files(options.get("files"))
    if graph == "chat":
        safe |= _filter_chat_options(options, request)
    return safe


def _filter_chat_options(options: Mapping[str, Any], request: str) -> Options:
    """Keep plan mode: a plan made under it expects that nothing changes."""
    if options.get("plan") is not True:
        return {"agent": "build", "speaker": "build", "plan": False}
    plan_file = str(options.get("plan_file"))
    fits = _PLAN_FILE.fullmatch(plan_file)
    return {
        "agent": "build",
        "speaker": "plan",
        "plan": True,
        "plan_file": plan_file if fits else make_plan_path(request, datetime.now()),
    }


def _validate_files(value: object) -> list[str]:
    """Validate the files that an edit may change: without them it could change any."""
    files = cast("list[object]", value) if isinstance(value, list) else []
    named = [file for file in files if isinstance(file, str) and file and not _OUT.search(file)]
    if not named or len(named) < len(files):
        raise UsageError("the thread has no list of files to edit", hint="it is damaged")
    return named


def find_dropped(options: Mapping[str, Any], safe: Mapping[str, Any]) -> list[str]:
    """Return the names of the user's options that are not kept."""
    lasting = Options.__annotations__.keys() - FOR_ONE_MESSAGE
    return sorted(name for name in lasting if options.get(name) and name not in safe)
