"""Imports that cost less: without the collector; packages that wait for their first use."""

import gc
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any

# Objects made, less those deleted, after which the collector runs; Python's own is 700
COLLECTION_THRESHOLD = 100_000

# Of each of these LangChain and LangGraph import one small module before they can do anything; its
# `__init__` brings a hundred more, which no run uses: `docs/decisions/0047`
DEFERRED_PACKAGES = ("langgraph_sdk", "langsmith.types")


def collect_seldom() -> None:
    """Run the collector rarely: most of what a command makes until its first request stays."""
    gc.set_threshold(COLLECTION_THRESHOLD)


@contextmanager
def without_collector() -> Generator[None]:
    """Import inside with the collector off; afterwards it ignores all objects that exist then."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def defer_packages() -> None:
    """Let the `__init__` of `DEFERRED_PACKAGES` run when the package is first used."""
    if not any(isinstance(finder, _DeferredFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _DeferredFinder())


class _DeferredFinder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in DEFERRED_PACKAGES:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _DeferredLoader(spec.loader)
        return spec


class _DeferredLoader(Loader):
    """Keeps the loader that runs the package's `__init__`.

    `importlib.util.LazyLoader` would run it as soon as a module of the package is imported.
    """

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(_deferred_loader=self._loader, _deferred_lock=RLock())
        module.__class__ = _DeferredPackage


class _DeferredPackage(ModuleType):
    def __getattr__(self, name: str) -> Any:
        """Run the `__init__`: an attribute is asked for that is not there yet."""
        with vars(self)["_deferred_lock"]:
            if self.__class__ is _DeferredPackage and not _run_init(self):
                raise AttributeError(name=name, obj=self)
        return getattr(self, name)


def _run_init(package: ModuleType) -> bool:
    """Make it a package like any other; return False within its `__init__`, which asks itself."""
    loader = vars(package).pop("_deferred_loader", None)
    if loader is not None:
        loader.exec_module(package)
        package.__class__ = ModuleType
    return loader is not None
