"""`mcode profiles`: the user's profiles, and which one is in use."""

import os
from typing import Annotated

import typer

from ....config import paths
from ....config.settings.profiles import get_profile_name, list_profiles, locate_profiles
from ...i18n.catalogs import t
from ...rendering.output import echo, echo_json
from ...rendering.table import show_table


def profiles(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """List the profiles: settings and keys of yours over the common ones.

    A profile is the file profiles/NAME.yaml beside config.yaml, chosen by --profile NAME or
    MAXAGENT_PROFILE.
    """
    home, chosen = paths.locate_home(), get_profile_name(os.environ)
    folder = locate_profiles(home)
    rows = [
        {
            "name": name,
            "file": str(folder / f"{name}.yaml"),
            "in_use": name == chosen,
        }
        for name in list_profiles(home)
    ]
    if as_json:
        echo_json(rows)
    elif rows:
        cells = [[str(row["name"]), "*" if row["in_use"] else "", str(row["file"])] for row in rows]
        headings = [t("profiles.name"), t("profiles.in_use"), t("profiles.file")]
        show_table(headings, cells, cut=headings[2:])
    else:
        echo(t("profiles.none", file=folder / "NAME.yaml"))
