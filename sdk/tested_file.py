"""What must be true before a thread writes tests for a file."""

from pathlib import Path

from ..config.errors import UsageError
from ..config.text import text
from ..nodes.options import Options
from ..nodes.run.dependencies import Dependencies
from ..nodes.run.modes import TEST_WRITER
from ..tools.filesystem.text_codec import BINARY_SIGN_WITHIN
from ..tools.testing.detection import NONE_FOUND, SIGNS, detect_test_commands
from ..tools.testing.file_names import belongs_to_tests, find_language
from .graph_registry import Job

_EXAMPLE = "give a file of the project's code, such as `src/cart.py`"


def validate_tested_file(root: Path, file: str) -> None:
    """Raise UsageError for a file that is missing, is no text, or belongs to the tests."""
    path = root / file
    if not path.is_file():
        raise UsageError(text("there is no file `{file}`", file=file), hint=_EXAMPLE)
    if belongs_to_tests(file):
        raise UsageError(text("`{file}` belongs to the tests itself", file=file), hint=_EXAMPLE)
    try:
        with path.open("rb") as opened:
            beginning = opened.read(BINARY_SIGN_WITHIN)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(
            text("`{file}` cannot be read: {reason}", file=file, reason=reason), hint=_EXAMPLE
        ) from error
    if b"\0" in beginning:
        raise UsageError(text("`{file}` is a binary file", file=file), hint=_EXAMPLE)


async def choose_first_agent(job: Job, options: Options, deps: Dependencies) -> str:
    """Return the profile that begins; raises UsageError if no framework can test a file."""
    if file := options.get("tests_for"):
        await _check_framework(file, deps)
        return TEST_WRITER
    return job.first_role


async def _check_framework(file: str, deps: Dependencies) -> None:
    if not deps.trust.trusted:  # to look for a framework may run the project's Python
        reason = "the folder is not trusted, so its tests were not run"
        raise UsageError(
            reason,
            hint="run `mcode trust`, repeat with `--trust`, or call `maxagent.trust(folder)`",
        )
    configured = deps.settings.task.test_command
    commands = await detect_test_commands(deps.workspace.root, configured, deps.sandbox)
    if not commands:
        raise UsageError(NONE_FOUND, hint=SIGNS)
    language = find_language(file)
    if any(command.language in ("", language) for command in commands):
        return
    if language:
        reason = text("no tests of {language} were found", language=language)
        raise UsageError(reason, hint=SIGNS)
    raise UsageError(
        text("no test framework of the project can test `{file}`", file=file), hint=_EXAMPLE
    )
