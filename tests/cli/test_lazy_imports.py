import gc
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from provider import Provider

from maxagent.cli import lazy_imports
from maxagent.cli.lazy_imports import (
    COLLECTION_THRESHOLD,
    collect_seldom,
    defer_packages,
    without_collector,
)


@pytest.fixture(autouse=True)
def _thawed():
    yield
    gc.unfreeze()


def test_collector_is_paused_and_restored_after_failed_import():
    with pytest.raises(ImportError), without_collector():
        assert not gc.isenabled()
        raise ImportError
    assert gc.isenabled()


def test_what_was_imported_is_never_looked_at_again():
    with without_collector():
        before = gc.get_freeze_count()
    assert gc.get_freeze_count() > before


def test_collector_runs_seldom():
    before = gc.get_threshold()
    try:
        collect_seldom()
        assert gc.get_threshold() == (COLLECTION_THRESHOLD, *before[1:])
    finally:
        gc.set_threshold(*before)


INIT = """
from . import small
from .large import NUMBER
LINES.append("init")
def __getattr__(name):
    if name == "made":
        return "on request"
    raise AttributeError(name)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package that is deferred; what it runs is in `builtins.LINES`."""
    name = "deferred_for_a_test"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text(INIT)
    (folder / "small.py").write_text("SMALL = 1\n")
    (folder / "large.py").write_text("NUMBER = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(lazy_imports, "DEFERRED_PACKAGES", (name,))
    monkeypatch.setattr("builtins.LINES", [], raising=False)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    defer_packages()
    defer_packages()
    yield name
    for module in [module for module in sys.modules if module.startswith(name)]:
        del sys.modules[module]


def read_lines() -> list[str]:
    import builtins

    return vars(builtins)["LINES"]


def test_a_module_of_a_deferred_package_comes_alone(package: str):
    assert import_module(f"{package}.small").SMALL == 1
    assert read_lines() == []
    assert f"{package}.large" not in sys.modules


@pytest.mark.parametrize(
    ("attribute", "value"), [("NUMBER", 7), ("made", "on request"), ("__doc__", None)]
)
def test_a_deferred_package_loads_when_used(package: str, attribute: str, value: object):
    module = import_module(package)
    assert getattr(module, attribute) == value
    assert module.NUMBER == 7
    assert read_lines() == ["init"]
    with pytest.raises(AttributeError):
        module.absent  # noqa: B018


def test_a_deferred_package_loads_once_for_many_threads(package: str):
    module, numbers = import_module(package), list[int]()
    threads = [threading.Thread(target=lambda: numbers.append(module.NUMBER)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (numbers, read_lines()) == ([7] * 8, ["init"])


USES = [
    ("langgraph_sdk", "from langgraph_sdk import get_client; get_client(url='http://127.0.0.1:1')"),
    ("langgraph_sdk", "from langgraph.pregel.remote import RemoteGraph; RemoteGraph('a', url='b')"),
    ("langgraph_sdk", "import langgraph_sdk; langgraph_sdk.Auth().authenticate"),
    ("langsmith.types", "from langsmith.types import RunSelectField; assert RunSelectField"),
    ("langsmith.types", "import langsmith; langsmith.types.RunSelectField"),
]


@pytest.mark.parametrize(("name", "use"), USES)
def test_what_is_deferred_works_when_used(name: str, use: str):
    assert name in lazy_imports.DEFERRED_PACKAGES
    run_child(
        "import langgraph.graph, langgraph.runtime, sys\n"
        f"assert type(sys.modules[{name!r}]).__name__ == '_DeferredPackage'\n{use}"
    )


def test_who_asks_langchain_to_trace_is_traced():
    with Provider() as server:
        run_child(
            "from langchain_core.runnables import RunnableLambda\n"
            "from langchain_core.tracers.langchain import wait_for_all_tracers\n"
            "assert RunnableLambda(str.upper).invoke('a') == 'A'\n"
            "wait_for_all_tracers()",
            LANGSMITH_TRACING="true",
            LANGSMITH_ENDPOINT=server.url,
            LANGSMITH_API_KEY="lsv2_of_the_test",
        )
        assert server.requests


def run_child(code: str, **environment: str) -> None:
    code = f"from maxagent.cli.lazy_imports import defer_packages; defer_packages()\n{code}"
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
