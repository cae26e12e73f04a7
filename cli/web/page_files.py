"""The files of the page, read once: only what is here is served.

Its own modules are served as one file, `app.js`: one request, and a third less to load.
"""

import json
import re
import zlib
from functools import partial
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/manifest+json",
}
MAIN = "app.js"
_IMPORT = re.compile(r'^import \{ (.*) \} from "/page/(.+)";\n', re.MULTILINE)
# Indentation, comments on lines of their own, and `export`: of no use to a browser
_UNUSED = re.compile(r"^(?:\s*//.*\n|export (?!default)|[ ]+)", re.MULTILINE)
# Blanks about signs, as no text of the page has them, and ends of lines that end no statement
_LOOSE = re.compile(
    r" ([=!]==?|=>|&&|\|\|=?|\?\?=?|[<>]=?|\+=|[-=+*?:]) |(?<=[\w\])}])(,) (?=[\w\[{(!.])"
    r"|(?<=\w)(:) (?=[\w\[{\"`!])|(?<![\"` ])(\{) (?=[\w.\[\"])"
    r"|(?<=[\w)\]\"}`]) (\})|(?<=[;{,(])\n|\n(?=[<$])"
)
# Of `zlib`: with gzip's header; and how much goes by one table of codes: the smallest is sent
_GZIP, _SPANS = 31, range(5, 9)
# The end of an element, which `htm` needs no name for
_END_TAG = re.compile(r"</\w+>(?!\")")
# The same of the styles: blanks and lines between what is said
_UNUSED_STYLE = re.compile(r"/\*.*?\*/|;\s*(?=\})|\s*([{};,>])\s*|(?<=:) ", re.DOTALL)


class PageFile(NamedTuple):
    """A file as it is sent."""

    type: str
    content: bytes
    compressed: bytes
    tag: str


def read_page_files() -> dict[str, PageFile]:
    """Return the files by their names relative to the page's folder, such as `vendor/marked.js`."""
    folder = resources.files(__package__ or "") / "page"
    files = dict[str, PageFile]()
    for name, file in _walk(folder, ""):
        ending = name.rpartition(".")[2]
        is_own_module = ending == "js" and "/" not in name
        if ending in TYPES and not name.endswith("vendor.json") and not is_own_module:
            content = file.read_bytes()
            if ending == "css":
                content = _UNUSED_STYLE.sub(r"\1", content.decode()).encode()
            files[name] = _build_file(TYPES[ending], content)
    files[MAIN] = _build_file(TYPES["js"], _join_modules(folder).encode())
    return files


def _join_modules(folder: Traversable) -> str:
    """Return the page's own modules as one, what is imported first."""
    modules, libraries = dict[str, str](), dict[str, set[str]]()
    _add_module(folder, MAIN, modules, libraries)
    imports = [
        f'import {{ {", ".join(sorted(names))} }} from "/page/{library}";\n'
        for library, names in libraries.items()
    ]
    return "".join([*imports, *modules.values()])


def _add_module(
    folder: Traversable, name: str, modules: dict[str, str], libraries: dict[str, set[str]]
) -> None:
    text = folder.joinpath(name).read_text(encoding="utf-8")
    for names, source in _IMPORT.findall(text):
        if "/" in source:
            libraries.setdefault(source, set()).update(names.split(", "))
        elif source not in modules:
            _add_module(folder, source, modules, libraries)
    text = _LOOSE.sub(r"\1\2\3\4\5", _UNUSED.sub("", _IMPORT.sub("", text)))
    modules[name] = _END_TAG.sub("</>", text)


def _walk(folder: Traversable, above: str) -> list[tuple[str, Traversable]]:
    files = list[tuple[str, Traversable]]()
    for each in folder.iterdir():
        name = f"{above}{each.name}"
        files += _walk(each, f"{name}/") if each.is_dir() else [(name, each)]
    return files


def _build_file(kind: str, content: bytes) -> PageFile:
    tag = json.dumps(sha256(content).hexdigest()[:16])
    return PageFile(kind, content, min(map(partial(_compress, content), _SPANS), key=len), tag)


def _compress(content: bytes, span: int) -> bytes:
    compressor = zlib.compressobj(9, zlib.DEFLATED, _GZIP, span)
    return compressor.compress(content) + compressor.flush()
