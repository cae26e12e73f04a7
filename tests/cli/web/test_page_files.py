"""The files of the page: libraries as npm has them, small, and nothing from elsewhere."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from maxagent.cli.web.access_control import POLICY
from maxagent.cli.web.page_files import read_page_files
from maxagent.cli.web.page_words import collect_words

PAGE = Path(__file__).parents[3] / "cli" / "web" / "page"
VENDOR = PAGE / "vendor"
# Bytes, compressed; what is loaded for some code blocks alone is not counted
MAX_SIZE = 60_000
OPEN_LICENCES = {"MIT", "Apache-2.0", "BSD-3-Clause", "(MPL-2.0 OR Apache-2.0)"}
OWN = [path for path in PAGE.glob("*.js")]


def test_libraries_are_unchanged_and_licensed() -> None:
    recorded = json.loads((VENDOR / "vendor.json").read_text())
    files = {str(path.relative_to(VENDOR)) for path in VENDOR.rglob("*") if path.is_file()}
    assert files - {"vendor.json"} == recorded.keys()
    for name, facts in recorded.items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == facts["sha256"], name
        assert facts["licence"] in OPEN_LICENCES
    packages = {facts["package"] for facts in recorded.values()}
    licensed = {facts["package"] for name, facts in recorded.items() if "LICENSE" in name}
    assert packages == licensed


def test_the_page_is_small() -> None:
    files = read_page_files().items()
    sizes = {name: len(file.compressed) for name, file in files if "languages/" not in name}
    assert sum(sizes.values()) <= MAX_SIZE, sizes


def test_own_modules_are_served_as_one() -> None:
    files = read_page_files()
    served = files["app.js"].content.decode()
    assert [name for name in files if re.fullmatch(r"\w+\.js", name)] == ["app.js"]
    assert set(re.findall(r'^import .* from "(.*)"', served, re.MULTILINE)) == {
        "/page/vendor/htm-preact.js",
        "/page/vendor/marked.js",
    }
    source = "\n".join(path.read_text() for path in OWN)
    texts = set(re.findall(r'"[^"\n]*"', re.sub(r"(?m)^import .*|^\s*//.*|'\"'", "", source)))
    assert [text for text in texts if "${" not in text and text not in served] == []
    patterns = re.findall(r"[=(] ?(/\^[^/\n]+/)", source)
    assert len(patterns) >= 5 and [each for each in patterns if each not in served] == []
    names = re.findall(
        r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)",
        "\n".join(path.read_text() for path in OWN),
        re.MULTILINE,
    )
    assert [name for name in names if names.count(name) > 1] == []
    assert [name for name in names if not re.search(rf"\b{name}\b", served)] == []


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_nothing_comes_from_elsewhere(path: Path) -> None:
    text = path.read_text()
    assert re.findall(r"""from ["'](?!/page/)""", text) == []
    assert not re.search(r"\beval\(|new Function|document\.write|insertAdjacentHTML", text)


def test_no_module_writes_html() -> None:
    writes = r"innerHTML|outerHTML|setHTML|insertAdjacent|parseFromString|createContextualFragment"
    assert [path.name for path in OWN if re.search(writes, path.read_text(), re.I)] == []
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in POLICY


def test_every_word_of_the_page_is_in_the_catalogue() -> None:
    texts, missing = collect_words(), set[str]()
    for path in OWN:
        missing |= set(re.findall(r"""\bw\("([\w.]+)\"""", path.read_text())) - texts.keys()
    assert missing == set()


def test_every_word_of_the_catalogue_is_on_the_page() -> None:
    text = "\n".join(path.read_text() for path in OWN)
    prefixes = tuple(re.findall(r"`([\w.]+\.)\$\{", text)) + ("undo_", "redo_")
    unused = [
        key
        for key in collect_words()
        if f'"{key.removesuffix(".one")}"' not in text and not key.startswith(prefixes)
    ]
    assert unused == []


def test_only_listed_files_are_served() -> None:
    files = read_page_files()
    assert "vendor/vendor.json" not in files
    assert not [name for name in files if name.endswith((".txt", ".py"))]
    assert files["index.html"].type.startswith("text/html")
