"""The house keeps its shape. One test a rule; each lists what breaks it."""

import re
import tomllib
from pathlib import Path

import pytest
from distributions import (
    EXTRA_PLACES,
    NEVER_IMPORTED,
    declared_distributions,
    imported_distributions,
    pinned_distributions,
)
from house import count_modules
from module_names import find_misnamed
from source_tree import (
    FLOOR_NUMBERS,
    ROOT,
    find_functions,
    find_modules,
    imported_modules,
    read_docstring,
    read_source,
)

MAX_LINES, MAX_FUNCTION_LINES, MAX_MODULES = 400, 50, 24
TEXTS = (".md", ".json", ".mo", ".gitattributes")
PAGES = [ROOT / name for name in ("README.md", "AGENTS.md", "CONTRIBUTING.md", "SECURITY.md")]
DOCS = [*PAGES, *(ROOT / "docs").rglob("*.md")]
# rooms of a floor in the order of their imports; a module that stands in none is the floor's ground
ROOMS = {
    "config": "text exit_codes errors arguments security/secrets security paths git yaml "
    "commented_json trust settings agents crash_report debug_log instructions network plan_files "
    "remote_url skills",
    "memory": "transaction shared_connections checkpoints database cards audit journal snapshots "
    "threads undo worktrees",
    "models": "address errors retry error_classification auth providers catalog policy resolver "
    "text_cleanup tool_arguments content_blocks replay streaming_model served_models http thinking "
    "anthropic program cassette catalog_update chat_completions responses invoke xml_calls "
    "langchain_responses scripted_model factory key_sources listing prompt_addenda "
    "structured_output",
    "sdk": "agents events attempts background cancel_shield card_uses tracing single_request "
    "interrupt_response outcome telemetry run graph_registry compaction tested_file "
    "pull_requests threads prepared_run run_request startup_notices runs "
    "thread_history runner workers event_runner reviews side_question streams studio sync_runner "
    "transfer",
    "cli": "i18n rendering fork_server prompts execution acp web commands/team commands remote "
    "repl/prompt repl/session repl/slash repl app preload entry",
    "nodes": "events children/task conversation/cut tool_task state children cards conversation "
    "messages run hooks recovery repetition verdict outcome subagents background skills approval "
    "review mcp turn enforce_schema compaction testing attempts agent_turn approve architect "
    "chat_turn coder compact editor receive_message run_tool switch_mode tester verify "
    "check_goal lazy_nodes",
    "tools": "textedits definitions process filesystem git hosting sandbox testing hooks "
    "search shell/parsing shell/readonly shell/risks shell shell/effects consent mcp/oauth mcp "
    "permissions skills tool_run web editing/matching editing/rewriting editing editing/patch "
    "builtin/files builtin/code builtin/notes builtin/session builtin/shell builtin/web "
    "builtin/mcp runtime",
}
FOR_USERS = {"README.md", "chat.md", "commands.md", "edit.md", "testing.md", "tools.md"}
FOR_USERS |= {"langgraph.md", "other-sdks.md"}
"""Pages whose `cart.py` is a file of the user's."""


def test_a_module_imports_only_from_lower_floors() -> None:
    arrows = [
        (module, target)
        for module in find_modules()
        for target in imported_modules(module)
        if {floor_of(module), floor_of(target)} <= FLOOR_NUMBERS.keys()
    ]
    assert len(arrows) > 1000
    wrong = [
        f"{module} imports {target}"
        for module, target in arrows
        if floor_of(module) != floor_of(target)
        and FLOOR_NUMBERS[floor_of(module)] <= FLOOR_NUMBERS[floor_of(target)]
    ]
    assert wrong == []


def floor_of(module: Path) -> str:
    return module.parts[0]


def test_a_room_imports_only_rooms_before_it() -> None:
    arrows = [
        (module, target)
        for module in find_modules()
        for target in imported_modules(module)
        if floor_of(module) == floor_of(target) and floor_of(module) in ROOMS
    ]
    assert len(arrows) > 300
    assert [
        f"{module} imports {target}"
        for module, target in arrows
        if room_number(module) < room_number(target)
    ] == []


def room_number(module: Path) -> int:
    """The place of a module's room on its floor; -1: the ground, which imports no room."""
    rooms = ROOMS[floor_of(module)].split()
    place = str(module.relative_to(floor_of(module)).with_suffix(""))
    around = [room for room in rooms if place == room or place.startswith(f"{room}/")]
    return rooms.index(max(around, key=len)) if around else -1


def test_no_module_has_more_than_400_lines() -> None:
    lengths = {str(module): read_source(module).count("\n") for module in find_modules()}
    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}


def test_no_function_has_more_than_50_lines() -> None:
    assert [
        f"{module}: {function.name}"
        for module in find_modules()
        for function in find_functions(module)
        if (function.end_lineno or 0) - function.lineno >= MAX_FUNCTION_LINES
    ] == []


def test_a_folder_has_at_most_24_modules() -> None:
    crowded = {folder: count for folder, count in count_modules().items() if count > MAX_MODULES}
    assert crowded == {}, "make a room for what belongs together"


def test_a_module_name_is_no_participle() -> None:
    tests = [
        path.relative_to(ROOT)
        for name in ("tests", "evals")
        for path in (ROOT / name).rglob("*.py")
    ]
    found = find_misnamed([*find_modules(), *tests])
    assert found == set(), "a module is a noun: see AGENTS.md"


def test_every_folder_with_code_ships() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    folders = [module.parent for module in find_modules() if module.name == "__init__.py"]
    assert set(listed) == {".".join(["maxagent", *folder.parts]) for folder in folders}


def test_every_folder_with_code_is_a_package() -> None:
    folders = {module.parent for module in find_modules()}
    assert [folder for folder in folders if not (ROOT / folder / "__init__.py").exists()] == []


def test_every_text_beside_the_code_ships() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    ships = {
        found
        for package, globs in setuptools["package-data"].items()
        for glob in globs
        for found in ROOT.joinpath(*package.split(".")[1:]).glob(glob)
    }
    every = [found for folder in FLOOR_NUMBERS for found in (ROOT / folder).rglob("*")]
    assert {found for found in every if found.suffix in TEXTS} - ships == set()


def test_no_stray_module_at_the_root() -> None:
    assert {path.name for path in ROOT.glob("*.py")} == {"__init__.py", "__main__.py"}


def test_every_path_in_the_docs_exists() -> None:
    pages = {page.name: page.read_text("utf-8") for page in DOCS}
    texts = {**pages, **{str(module): read_docstring(module) for module in find_modules()}}
    named = [(name, path) for name, text in texts.items() for path in find_named_paths(text)]
    assert len(named) > 150
    assert [f"{name}: {path}" for name, path in named if not any(ROOT.glob(path))] == []


def test_each_decision_has_its_own_number() -> None:
    numbers = [path.name[:4] for path in (ROOT / "docs/decisions").glob("*.md")]
    assert len(numbers) == len(set(numbers))


def test_every_link_in_the_docs_leads_somewhere() -> None:
    links = [
        (page, link)
        for page in DOCS
        for link in re.findall(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    ]
    assert len(links) > 50
    assert [
        f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()
    ] == []


def test_every_module_in_the_docs_for_developers_exists() -> None:
    folders = [*FLOOR_NUMBERS, "tests", "evals", "docs"]
    modules = {
        f"/{path.relative_to(ROOT)}" for name in folders for path in (ROOT / name).rglob("*.py")
    }
    pages = {page.name: page.read_text("utf-8") for page in DOCS if page.name not in FOR_USERS}
    rooms = {str(module): read_docstring(module) for module in find_rooms()}
    assert [
        f"{page}: {name}"
        for page, text in {**pages, **rooms}.items()
        for name in re.findall(r"(?<![\w./>-])\w[\w./-]*\.py\b", text)
        if not any(module.endswith(f"/{name.removeprefix('maxagent/')}") for module in modules)
    ] == []


def find_rooms() -> list[Path]:
    """Find the `__init__.py` of every room."""
    return [path for path in find_modules() if path.name == "__init__.py" and path.parent.parts]


def test_every_room_says_what_it_is() -> None:
    summaries = [(room, read_docstring(room).partition("\n")[0]) for room in find_rooms()]
    assert [f"{room}" for room, summary in summaries if not summary.endswith(".")] == []


def find_named_paths(text: str) -> list[str]:
    """A place for a name (`<role>`, `LANGUAGE`) is any; a decision is named by its number."""
    folders = "|".join([*FLOOR_NUMBERS, "tests", "evals", "docs"])
    found = re.findall(rf"`((?:{folders})/[^`\s]*)`", text)
    anyone = [re.sub(r"<\w+>|\b[A-Z]+\b(?=/)", "*", path) for path in found]
    return [re.sub(r"(decisions/\d{4})$", r"\1-*", path).rstrip("/") for path in anyone]


def test_changelog_has_known_kinds_without_duplicate_entries() -> None:
    _, unreleased, latest, _ = (ROOT / "CHANGELOG.md").read_text("utf-8").split("\n## ")
    for part in (unreleased, latest):
        kinds = re.findall(r"^### (.*)", part, re.MULTILINE)
        assert kinds == ["Added", "Changed", "Fixed"], "put your line under one of these"
    entries = re.split(r"\n(?=- |\n)", unreleased + latest)
    twice = {entry for entry in entries if entry.startswith("- ") and entries.count(entry) > 1}
    assert twice == set(), "a merge left them twice: delete one"


@pytest.mark.parametrize("extra", ["", *EXTRA_PLACES])
def test_imported_distributions_are_declared_and_pinned(extra: str) -> None:
    declared, imported = declared_distributions(extra), imported_distributions(extra)
    core = declared_distributions() if extra else set[str]()
    undeclared = {name: str(path) for name, path in imported.items() if name not in declared | core}
    assert undeclared == {}, "declare them under [project] in pyproject.toml"
    assert declared - set(imported) <= NEVER_IMPORTED, "declared and not imported"
    assert declared <= pinned_distributions(), "missing in constraints.txt"


def test_all_extras_are_installed_by_the_extra_all() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    users = sorted(set(extras) - {"all", "dev"})
    assert extras["all"] == [f"maxagent[{','.join(users)}]"]
