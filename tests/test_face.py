"""The Python door: what `import maxagent` offers, and what it costs."""

import subprocess
import sys

import pytest

import maxagent

OLD_NAMES = {"ThreadBusy": "ThreadBusyError", "UnfinishedTurn": "UnfinishedTurnError"}


@pytest.mark.parametrize("name", maxagent.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    result = getattr(maxagent, name)
    assert getattr(result, "__name__", name) == OLD_NAMES.get(name, name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = maxagent.nonsense


def test_importing_the_package_imports_nothing_heavy() -> None:
    seen = "import maxagent, sys; print([m for m in ('langgraph', 'httpx2') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_importing_the_package_leaves_the_environment_alone() -> None:
    seen = (
        "import os; before = dict(os.environ)\n"
        "import maxagent; maxagent.Runner\n"
        "print({*os.environ.items()} - {*before.items()})"
    )
    out = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
