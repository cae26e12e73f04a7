"""Environment variables of child processes: an allow-list without secrets."""

import re
from collections.abc import Mapping

from ...config.security.executables import keep_absolute_entries

_PASSED = re.compile(
    r"""
    PATH | HOME | USER | LOGNAME | SHELL | TERM | COLORTERM | NO_COLOR | TZ | TMPDIR | CI
    | LANG | LANGUAGE | LC_[A-Z]+ | XDG_[A-Z_]+
    | VIRTUAL_ENV | CONDA_PREFIX | PYENV_ROOT | PYENV_VERSION | PYTHONDONTWRITEBYTECODE
    | NODE_ENV | NVM_DIR | NVM_BIN | JAVA_HOME | CARGO_HOME | RUSTUP_HOME
    | GOPATH | GOROOT | GOCACHE | GOFLAGS
    | (HTTP | HTTPS | ALL | NO)_PROXY | (http | https | all | no)_proxy
    | SSL_CERT_FILE | SSL_CERT_DIR | REQUESTS_CA_BUNDLE | CURL_CA_BUNDLE | NODE_EXTRA_CA_CERTS
    """,
    re.VERBOSE,
)
# The folder for temporary files where the user's environment names none: what `$TMPDIR` is in a
# command is known before it runs
TEMPORARY = "/tmp"
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
# A password inside an address, as in `https://me:password@proxy.example`
_SECRET_VALUE = re.compile(r"://[^/\s]*@")


def build_child_environment(
    own: Mapping[str, str], additions: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the variables of `own` for a child; `additions` are MaxAgent's own, never filtered."""
    inherited = {name: value for name, value in own.items() if _may_pass(name, value)}
    path = keep_absolute_entries(own.get("PATH", "")) or "/usr/local/bin:/usr/bin:/bin"
    return {"TMPDIR": TEMPORARY, **inherited, "PATH": path, **(additions or {})}


def _may_pass(name: str, value: str) -> bool:
    if not _PASSED.fullmatch(name) or _SECRET_NAME.search(name):
        return False
    return not _SECRET_VALUE.search(value)
