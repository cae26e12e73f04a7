"""What the server and the process that asks it must have in common: the key of a server.

A fork has the server's confinement, limits and Python, and nothing of the caller's can be added
afterwards. So a container, a sandbox, another limit or another version has another key, and starts
cold. Linux alone shows a process's confinement; elsewhere there is no server.
"""

import os
import sys
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from ... import __version__

# Variables that Python or a library reads while it is imported
_READ_AT_IMPORT = (
    "PYTHON", "LC_", "LANG", "LD_", "GLIBC_", "MALLOC_", "OPENSSL_", "SSL_",
    "LANGCHAIN_", "LANGSMITH_", "LANGGRAPH_", "PYDANTIC_", "TYPER_", "_TYPER_",
)  # fmt: skip
_NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts")
_STATUS = (
    "Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs",
    "Seccomp", "Seccomp_filters", "TracerPid", "Cpus_allowed", "Mems_allowed",
)  # fmt: skip
_FILES = ("cgroup", "limits", "oom_score_adj", "attr/current")
# Options of Python by which a fork would be no otherwise
_HARMLESS_FLAGS = {
    "safe_path", "utf8_mode", "dont_write_bytecode", "hash_randomization", "int_max_str_digits",
}  # fmt: skip


def list_fixed_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that cannot change once everything is imported."""
    names = sorted(name for name in environ if name.startswith(_READ_AT_IMPORT))
    return {name: environ[name] for name in names}


def is_usual_python(environ: Mapping[str, str]) -> bool:
    """Return whether Python was started without options that a server would not have."""
    flags = [name for name in dir(sys.flags) if not name.startswith(("_", "n_", "count", "index"))]
    unusual = [name for name in flags if name not in _HARMLESS_FLAGS and getattr(sys.flags, name)]
    folders = environ.get("PYTHONPATH", "").split(os.pathsep)
    is_relative = any(folder and not os.path.isabs(folder) for folder in folders)
    return not (unusual or is_relative or sys._xoptions or sys.warnoptions)  # pyright: ignore


def read_confinement(process: int | str) -> list[str]:
    """Read what a process may do and see; raise OSError where that is hidden."""
    folder = f"/proc/{process}"
    facts = [os.readlink(f"{folder}/ns/{name}") for name in _NAMESPACES]
    root = os.stat(f"{folder}/root")
    facts += [
        str((root.st_dev, root.st_ino)),
        str(os.getpriority(os.PRIO_PROCESS, 0 if process == "self" else int(process))),
    ]
    for line in _read(f"{folder}/status").splitlines():
        if line.partition(":")[0] in _STATUS:
            facts.append(line)
    return facts + [_read(f"{folder}/{name}") for name in _FILES]


def compute_key(environ: Mapping[str, str], confinement: list[str]) -> str:
    """Return the name of the server that can fork for a process."""
    python = [__version__, sys.version, sys.executable, str(Path(__file__).parent)]
    variables = [f"{name}={value}" for name, value in list_fixed_variables(environ).items()]
    everything = "\0".join([*python, *variables, *confinement])
    return blake2b(everything.encode(errors="surrogateescape"), digest_size=16).hexdigest()


def gives_up_privileges(confinement: list[str]) -> bool:
    """Return whether a process is confined in a way that nothing shows whole, as by Landlock."""
    return "NoNewPrivs:\t0" not in confinement


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError as error:
        return f"{path.rpartition('/')[2]}: {error.errno}"
