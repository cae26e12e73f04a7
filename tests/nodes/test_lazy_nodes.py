"""Each node that a graph names by its entry point exists."""

import re
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path

from maxagent import graphs

NODES = "maxagent.nodes."


def test_every_entry_point_is_a_node() -> None:
    sources = [path.read_text("utf-8") for path in Path(graphs.__path__[0]).glob("*.py")]
    entry_points = {name for source in sources for name in re.findall(r'lazy\("(.+?)"\)', source)}
    assert len(entry_points) > 10
    for module, function in (name.split(":") for name in entry_points):
        assert iscoroutinefunction(getattr(import_module(f"{NODES}{module}"), function)), function
