"""Choice of the interface language: `--lang`, the environment, the configuration, the locale.

`app.main` makes the choice once, before any output.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ...config.errors import UsageError
from ...config.settings.early_settings import LANGUAGES, read_language
from ...config.text import text
from .catalogs import detect_language

_VARIABLES = ("MAXAGENT_LANG", "LLC_LANG")


def select_language(
    arguments: Sequence[str], environ: Mapping[str, str], folder: Path, home: Path
) -> str:
    """Return the first language that is set; raise UsageError if our variable has another value."""
    return (
        _parse_option(arguments)
        or _read_variable(environ)
        or read_language(folder, home)
        or detect_language(environ)
    )


def _parse_option(arguments: Sequence[str]) -> str:
    """Read `--lang` before the command; leave a wrong value to the parser, which rejects it."""
    option_value = ""
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if name == "--lang":
            option_value = value if equals else next(words, "")
        elif not word.startswith("-"):
            break
    return option_value if option_value in LANGUAGES else ""


def _read_variable(environ: Mapping[str, str]) -> str:
    for name in _VARIABLES:
        if value := environ.get(name):
            if value not in LANGUAGES:
                language_list = " or ".join(f"`{language}`" for language in LANGUAGES)
                raise UsageError(
                    text("{name}: unsupported language `{language}`", name=name, language=value),
                    hint=text("set it to {names}", names=language_list),
                )
            return value
    return ""
