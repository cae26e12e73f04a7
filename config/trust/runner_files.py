"""Files that programs run without being told their whole name: the one list of them."""

import re

_COMPOSE = "compose.yaml compose.yml docker-compose.yaml docker-compose.yml"
_MAKEFILES = "GNUmakefile makefile Makefile"
_PYPROJECT = "pyproject.toml"
# By program the files of a fixed name that say what it runs
BUILD_FILES = {
    "ant": "build.xml",
    "bake": "docker-bake.hcl",
    "cmake": "CMakeLists.txt CMakePresets.json CMakeUserPresets.json",
    "composer": "composer.json",
    "deno": "deno.json deno.jsonc",
    "docker": f"{_COMPOSE} Dockerfile",
    "docker-compose": _COMPOSE,
    "doit": f"dodo.py {_PYPROJECT}",
    "fab": "fabfile.py",
    "foreman": "Procfile",
    "gmake": _MAKEFILES,
    "gradle": "build.gradle build.gradle.kts settings.gradle settings.gradle.kts",
    "grunt": "Gruntfile.js Gruntfile.cjs",
    "gulp": "gulpfile.js gulpfile.mjs gulpfile.cjs",
    "hatch": f"hatch.toml {_PYPROJECT}",
    "hivemind": "Procfile",
    "honcho": "Procfile",
    "inv": "tasks.py tasks/__init__.py",
    "invoke": "tasks.py tasks/__init__.py",
    "just": "justfile Justfile .justfile",
    "lefthook": "lefthook.yml .lefthook.yml lefthook.yaml",
    "make": _MAKEFILES,
    "meson": "meson.build",
    "mise": "mise.toml .mise.toml",
    "mvn": "pom.xml",
    "ninja": "build.ninja",
    "nox": "noxfile.py",
    "overmind": "Procfile .overmind.env",
    "pdm": _PYPROJECT,
    "pipenv": "Pipfile",
    "podman-compose": _COMPOSE,
    "poe": f"{_PYPROJECT} poe_tasks.toml",
    "poetry": _PYPROJECT,
    "pre-commit": ".pre-commit-config.yaml",
    "rake": "Rakefile rakefile Rakefile.rb",
    "rye": _PYPROJECT,
    "scons": "SConstruct",
    "task": "Taskfile.yml Taskfile.yaml taskfile.yml",
    "tox": f"tox.ini {_PYPROJECT}",
    "uv": f"{_PYPROJECT} uv.toml",
}
MAKEFILE = re.compile(r"(GNU)?[Mm]akefile.*|.*\.(mk|mak|make)")
# Programs that run a file by a name without its ending, or a folder
RUNNERS = re.compile(
    r"python[\d.]*|pypy[\d.]*|node|nodejs|nodemon|bun|deno|tsx|ts-node|ruby|go|uv|poetry|pdm|hatch"
)
ENDINGS = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".json", ".rb", ".py")
FOLDER_FILES = (
    "__main__.py",
    "main.go",
    *(f"index{ending}" for ending in ENDINGS if ending not in (".rb", ".py")),
)
