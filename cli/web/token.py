"""The token of the page: it stays over restarts, so that an open page goes on."""

import re
import secrets
from pathlib import Path

from ...config import paths
from ...config.security.private_files import replace_file

_FORM = re.compile(r"[A-Za-z0-9_-]{43}")


def read_token(home: Path, *, renew: bool = False) -> str:
    """Return the token of this home, made at its first use; with `renew` always a new one."""
    file = paths.ensure_data_folder(home) / "web-token"
    token = "" if renew or not file.exists() else file.read_text("ascii", "replace").strip()
    if not _FORM.fullmatch(token):
        token = secrets.token_urlsafe(32)
        replace_file(file, f"{token}\n".encode())
    return token
