"""Quick check whether a key may be there, before the settings are loaded."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .credentials import locate_credentials

_PROVIDERS = Path(__file__).parent.parent / "providers.json"


def has_key(environ: Mapping[str, str], home: Path) -> bool:
    """Return whether a provider's key is in the environment, or anything is stored."""
    rows: dict[str, dict[str, Any]] = json.loads(_PROVIDERS.read_bytes())
    names = (name for row in rows.values() for name in row.get("key_variables", ()))
    in_environment = any(environ.get(name, "").strip() for name in names)
    return in_environment or locate_credentials(home).exists()
