"""What tests of every floor need."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from anthropic_provider import AnthropicProvider
from confinement import FOUND, SURROUNDINGS
from hypothesis import HealthCheck, settings
from inherited_signals import hand_down_defaults
from provider import Provider

os.environ.update(SURROUNDINGS)
hand_down_defaults()
# Before a version manager's `python3`, whose fifteen processes cost more than Python itself
os.environ["PATH"] = os.pathsep.join((f"{sys.base_prefix}/bin", os.environ["PATH"]))
# No test fails since the machine has other things to do. Where `CI` is set, hypothesis's own
# profile tries the same examples every time; elsewhere each run looks further.
settings.register_profile(
    "busy", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy")
SLOW = {
    Path(__file__).with_name(name)
    for name in (
        *("bench", "docs", "e2e", "torture"),
        *("context_eval", "corpora", "edit_eval", "fuzz", "house"),
    )
}
"""Folders whose tests start whole programs, evaluate or measure; long tests mark themselves."""


MEMORY = Path("/dev/shm")
"""Where a file reaches no disk: a third of the time, tests waited for one."""
ROOT_OF_FOLDERS = "PYTEST_DEBUG_TEMPROOT"
SPACE_NEEDED = 6_000_000_000
"""Bytes; some machines have a small one, or one where no program can run."""


def pytest_configure() -> None:
    """Put the tests' folders into memory if there is enough of it."""
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
        found = os.statvfs(MEMORY)
        can_run = not found.f_flag & os.ST_NOEXEC
        if can_run and found.f_bavail * found.f_frsize > SPACE_NEEDED and has_free_memory():
            os.environ.setdefault(ROOT_OF_FOLDERS, str(MEMORY))


def has_free_memory() -> bool:
    """Return whether the machine has as much memory to spare."""
    with open("/proc/meminfo", encoding="ascii") as lines:
        sizes = [int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    return bool(sizes) and sizes[0] * 1024 > SPACE_NEEDED


def pytest_collection() -> None:
    """Collect no garbage while tests are collected: all of it lives, and grows."""
    gc.disable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import the slow folders where none of their tests will run."""
    return (config.option.markexpr == "not slow" and collection_path in SLOW) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow folders; begin with all slow tests, so that no worker waits for the last."""
    for item in items:
        if item.path.parent in SLOW:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_collection_finish() -> None:
    """Spare the collector what lives to the end: looking through it took a sixth of the time."""
    gc.freeze()
    gc.enable()


def pytest_report_header() -> str:
    """Say aloud what this machine lacks."""
    if FOUND.is_on:
        return f"sandbox: {FOUND.backend}"
    return f"sandbox: its tests are SKIPPED, the others run without one: {FOUND.why_none}"


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A real HTTP server that speaks chat completions: see `tests/fixtures/provider.py`."""
    with Provider() as server:
        yield server


@pytest.fixture
def anthropic_provider() -> Iterator[AnthropicProvider]:
    """A real HTTP server that speaks Anthropic Messages: `tests/fixtures/anthropic_provider.py`."""
    with AnthropicProvider() as server:
        yield server


@pytest.fixture(autouse=True, scope="session")
def home_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What a test does not send elsewhere must not reach the developer's own files."""
    own = tmp_path_factory.mktemp("home")
    os.environ.pop(ROOT_OF_FOLDERS, None)  # a project's own pytest must not see it
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MAXAGENT_HOME", str(own))
        patch.setenv("XDG_CONFIG_HOME", str(own / "config"))
        yield own
