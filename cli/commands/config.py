"""`mcode config`: show and change settings, and show where each comes from."""

import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ...config import paths
from ...config.errors import UsageError
from ...config.security.redaction import redact, redact_json
from ...config.settings.policy_file import load_managed_policy
from ...config.text import text
from ..i18n.catalogs import t
from ..rendering.output import echo, echo_json

if TYPE_CHECKING:
    from ...config.settings.loader import LoadedSettings
    from ...config.settings.sources import Layer

app = typer.Typer(
    help="Show and change settings.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_REFERENCE = re.compile(r"\$\{\w+\}")
# sections whose settings are rules on tool calls, or act like them
RULE_SECTIONS = {"permissions", "security"}

ShowOrigin = Annotated[
    bool, typer.Option("--show-origin", help="Show where each value comes from.")
]
InProject = Annotated[
    bool, typer.Option("--project", help="Set it in the project's file (.llc.yaml), not in yours.")
]


@app.command()
def show(
    show_origin: ShowOrigin = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of YAML.")] = False,
) -> None:
    """Show all settings in effect in the current folder."""
    from ...config.settings.keys import iter_leaves, join_key
    from ..rendering.listings.settings import as_yaml

    values, origins = _collect_values()
    if as_json and show_origin:
        values = {
            key: {"value": value, "origin": origins[key]}
            for key, value in ((join_key(path), value) for path, value in iter_leaves(values))
        }
    if as_json:
        echo_json(values)
    else:
        echo(as_yaml(values, origins if show_origin else None))


@app.command()
def get(
    key: Annotated[str, typer.Argument(help="Key or section, such as model.default.")],
    show_origin: ShowOrigin = False,
) -> None:
    """Show one setting; with --show-origin, print source, tab, value."""
    from ...config.settings.keys import split_key
    from ..rendering.listings.settings import as_text, as_yaml

    values, origins = _collect_values()
    path = ("policy", *key.split(".")[1:]) if _names_policy(key, values) else split_key(key)
    value: Any = values
    for part in path:
        if not isinstance(value, dict) or part not in value:
            hint = "`mcode config show` shows what can be set, and what is"
            raise UsageError(text("`{key}` is not set", key=key), hint=hint)
        value = cast("dict[str, Any]", value)[part]
    if not show_origin:
        echo(as_text(value))
    elif key in origins:
        echo(f"{origins[key]}\t{as_text(value)}")
    else:
        echo(as_yaml(cast("Mapping[str, object]", value), origins, path))


@app.command("set")
def set_setting(
    key: Annotated[str, typer.Argument(help="Key, such as model.default.")],
    value: Annotated[str, typer.Argument(help="New value; YAML unless the key takes text.")],
    project: InProject = False,
) -> None:
    """Set one key in your configuration file. Comments and other keys are kept."""
    from ...config.settings.writer import set_value
    from ...config.trust.decision import keep_trust
    from ..prompts.trust import warn_untrusted

    if project and _has_secret(key, value):
        hint = "remove `--project`, or write `${NAME_OF_VARIABLE}`"
        raise UsageError(
            text("anyone with access to the project could read `{key}`", key=key), hint=hint
        )
    file = _locate_file(project)
    with keep_trust(Path.cwd(), paths.locate_home()) if project else nullcontext():
        mode = 0o644 if project else 0o600
        set_value(file, key, value, new_mode=mode, validate=partial(_validate_rules, file))
    echo(t("config.set", key=key, file=file), err=True)
    if key.startswith("agents."):
        echo(t("config.set.prompt", name=key.split(".")[1]), err=True)
    if project:
        warn_untrusted(Path.cwd())


@app.command()
def init() -> None:
    """Create your configuration file, with every setting, its default and a comment.

    A file that exists is never overwritten.
    """
    from importlib import resources

    from ...config.settings.writer import create_file

    file = _locate_file(project=False)
    template = resources.files(__package__ or "").joinpath("config_template.yaml")
    create_file(file, template.read_bytes())
    echo(t("config.created", file=file), err=True)


@app.command()
def path(
    project: Annotated[
        bool,
        typer.Option("--project", help="Print the path of the project's file (.llc.yaml) instead."),
    ] = False,
) -> None:
    """Print the path of your configuration file. It may not exist yet."""
    echo(_locate_file(project))


def _collect_values() -> tuple[dict[str, Any], dict[str, str]]:
    """Return all that holds, the organization's policy included, and where each is from."""
    from ...config.settings.keys import hide_secrets, iter_leaves, join_key

    loaded, policy = _load_settings(), load_managed_policy()
    origins: dict[str, str] = {**loaded.origins}
    values = redact_json(hide_secrets(loaded.settings.model_dump()))
    if policy:
        values["policy"] = redact_json(policy.layer.values)
        leaves = iter_leaves(policy.layer.values)
        origins |= {join_key(("policy", *path)): policy.locate(*path) for path, _ in leaves}
    return values, origins


def _names_policy(key: str, values: Mapping[str, Any]) -> bool:
    return key.partition(".")[0] == "policy" and "policy" in values


def _has_secret(key: str, value: str) -> bool:
    """Return whether a shared file would hold a key, a password or what looks like one."""
    from ...config.remote_url import has_password
    from ...config.settings.keys import is_secret, split_key

    if is_secret(split_key(key)):
        return not _REFERENCE.fullmatch(value)
    plain = _REFERENCE.sub("", value)
    return has_password(plain) or redact(plain) != plain


def _validate_rules(file: Path, wish: "Layer") -> None:
    """Raise UsageError if the value names a tool or a pattern that does not exist."""
    if not RULE_SECTIONS & wish.values.keys():
        return
    from ...config.settings.permission_rules import read_rules
    from ...tools.permissions.policy import read_rules as parse_rules
    from ...tools.workspace import Workspace

    parse_rules(read_rules([replace(wish, name=str(file))]), Workspace(Path.cwd()))


def _locate_file(project: bool) -> Path:
    return (
        paths.locate_project_config(Path.cwd())
        if project
        else paths.locate_user_config(paths.locate_home())
    )


def _load_settings() -> "LoadedSettings":
    from ...config.settings.loader import load_settings
    from ..prompts.trust import warn_untrusted

    loaded = load_settings(Path.cwd(), paths.locate_home())
    warn_untrusted(Path.cwd())
    return loaded
