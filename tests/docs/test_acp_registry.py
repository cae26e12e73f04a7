import json
import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

REPOSITORY = Path(__file__).parents[2]
ENTRY = REPOSITORY / "docs" / "acp-registry" / "maxagent"


def test_the_entry_names_this_version_and_licence() -> None:
    entry = json.loads((ENTRY / "agent.json").read_text())
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert entry["id"] == ENTRY.name == project["name"]
    assert entry["version"] == project["version"]
    package = f"{project['name']}=={project['version']}"
    assert entry["distribution"]["uvx"] == {"package": package, "args": ["acp"]}
    assert entry["license"] == project["license"]


def test_the_icon_is_small_and_of_one_colour() -> None:
    icon = (ENTRY / "icon.svg").read_text()
    root = ElementTree.fromstring(icon)
    assert [root.get(name) for name in ("width", "height", "viewBox")] == ["16", "16", "0 0 16 16"]
    colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', icon))
    assert colours <= {"currentColor", "none"}
