"""What a folder brings, as the human who is to trust it reads it."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from ...config import paths
from ...config.errors import UsageError
from ...config.settings.keys import FAR_REACHING, hidden, join, leaves
from ...config.trust.decision import Trust
from ...config.trust.inventory import Brought
from ...config.trust.referenced_instructions import own_start
from ...config.trust.trusted_reader import read_listed
from ..i18n.catalogs import t
from ..i18n.message_translation import told
from .sanitize import safe_line

MOST_OF_A_KIND = 40
MOST_CHANGES = 10
LONGEST_VALUE = 4_000


def view(trust: Trust, *, tests: bool) -> Iterator[str]:
    """Kind by kind with paths; `tests`: whether the project's tests are going to be run."""
    for kind, files in groupby(trust.brought, lambda one: one.kind):
        every = [_named(one.path, one.odd) for one in files if _counts(one, trust)]
        if every:
            yield f"  {t(f'trust.{kind}')}"
        yield from _some(every)
        if kind == "configuration":
            yield from (f"      {line}" for line in _settings(trust))
    if trust.further:
        yield f"  {t('trust.further')}"
        yield from _some([safe_line(path) for path in trust.further])
    if tests:
        yield f"  {t('trust.tests')}"
    for change in trust.changed:
        yield f"  {t('trust.changed', change=safe_line(told(change)))}"
    if trust.damaged:
        yield f"  {safe_line(told(trust.damaged))}"


def stands(changed: Sequence[str]) -> str:
    """How a folder that is trusted stands, of which these further instruction files are others."""
    if not changed:
        return t("trust.state.trusted")
    changes = [safe_line(told(one)) for one in changed[:MOST_CHANGES]]
    more = [t("trust.more", count=count)] if (count := len(changed) - MOST_CHANGES) > 0 else []
    return t("trust.state.partly", changes=", ".join([*changes, *more]))


def _counts(one: Brought, trust: Trust) -> bool:
    """Whether it would be loaded: of a folder's own instructions one is."""
    if one.kind != "instructions" or one.odd:
        return True
    own = [other.path for other in trust.brought if other.kind == "instructions"]
    return one.path == own_start(Path(trust.folder), own)


def _some(names: list[str]) -> Iterator[str]:
    yield from (f"    {line}" for line in names[:MOST_OF_A_KIND])
    if more := names[MOST_OF_A_KIND:]:
        yield f"    {t('trust.more', count=len(more))}"


def _named(path: str, odd: str) -> str:
    return safe_line(t("labelled", label=path, said=told(odd)) if odd else path)


def _settings(trust: Trust) -> Iterator[str]:
    """What the project's file sets: endpoints, permissions and commands with their values."""
    try:
        document = read_listed(paths.project_config(Path(trust.folder)), trust)
    except UsageError as error:
        yield safe_line(told(error.message))
        return
    values = dict(leaves(hidden(document.values))) if document else {}
    keys = {join(path): value for path, value in values.items()}
    plain = [key for key in keys if not key.startswith(FAR_REACHING)]
    if plain:
        yield safe_line(t("trust.sets", keys=", ".join(plain)))
    for key in (key for key in keys if key.startswith(FAR_REACHING)):
        value = json.dumps(keys[key], ensure_ascii=False, default=str)
        cut = value[:LONGEST_VALUE] + "…" * (len(value) > LONGEST_VALUE)
        yield safe_line(t("trust.reaches", key=key, value=cut))
