"""Files that programs run without being told their whole name: the one list of them."""

import re

_COMPOSE = (
    "compose.yaml compose.yml docker-compose.yaml docker-compose.yml compose.override.yaml "
    "compose.override.yml docker-compose.override.yaml docker-compose.override.yml"
)
_MAKEFILES = "GNUmakefile makefile Makefile"
_PYPROJECT = "pyproject.toml"
_PYTHON_BUILD = f"setup.py setup.cfg {_PYPROJECT}"
_GRADLE = (
    "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradlew "
    "gradle/wrapper/gradle-wrapper.properties gradle/wrapper/gradle-wrapper.jar "
    "buildSrc/build.gradle buildSrc/build.gradle.kts"
)
_MAVEN = (
    "pom.xml mvnw .mvn/maven.config .mvn/extensions.xml .mvn/jvm.config "
    ".mvn/wrapper/maven-wrapper.properties .mvn/wrapper/maven-wrapper.jar"
)
_RAKE = "Rakefile rakefile Rakefile.rb rakefile.rb"
_INVOKE = "tasks.py tasks/__init__.py invoke.yaml"
_PROCFILE = "Procfile"
_NIX = "flake.nix shell.nix default.nix"
_SCRIPTS = "package.json"
_PRE_COMMIT = ".pre-commit-config.yaml"
_TASKFILE = (
    "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml"
)
# By program the files of a fixed name that say what it runs
BUILD_FILES = {
    "ansible-playbook": "ansible.cfg",
    "ant": "build.xml",
    "bake": "docker-bake.hcl",
    "bazel": "BUILD BUILD.bazel MODULE.bazel WORKSPACE WORKSPACE.bazel .bazelrc tools/bazel",
    "bmake": _MAKEFILES,
    "briefcase": _PYPROJECT,
    "bundle": "Gemfile .bundle/config",
    "cmake": "CMakeLists.txt CMakePresets.json CMakeUserPresets.json",
    "composer": "composer.json",
    "concurrently": _SCRIPTS,
    "deno": f"deno.json deno.jsonc {_SCRIPTS}",
    "devbox": "devbox.json",
    "direnv": ".envrc",
    "docker": f"{_COMPOSE} Dockerfile docker-bake.hcl docker-bake.json",
    "docker-compose": _COMPOSE,
    "doit": f"dodo.py {_PYPROJECT}",
    "drake": _RAKE,
    "earthly": "Earthfile",
    "fab": "fabfile.py",
    "fastlane": "fastlane/Fastfile",
    "foreman": f"{_PROCFILE} .foreman",
    "gmake": _MAKEFILES,
    "go-task": _TASKFILE,
    "goreman": _PROCFILE,
    "gradle": _GRADLE,
    "gradlew": _GRADLE,
    "grunt": "Gruntfile.js Gruntfile.cjs Gruntfile.ts Gruntfile.coffee",
    "gulp": "gulpfile.js gulpfile.mjs gulpfile.cjs gulpfile.ts gulpfile.babel.js",
    "hatch": f"hatch.toml {_PYPROJECT}",
    "hivemind": _PROCFILE,
    "honcho": _PROCFILE,
    "inv": _INVOKE,
    "invoke": _INVOKE,
    "jake": "Jakefile Jakefile.js",
    "just": "justfile Justfile .justfile",
    "lage": f"lage.config.js {_SCRIPTS}",
    "lefthook": (
        "lefthook.yml .lefthook.yml lefthook.yaml .lefthook.yaml lefthook.toml lefthook.json "
        "lefthook-local.yml .lefthook-local.yml lefthook-local.yaml"
    ),
    "lein": "project.clj",
    "lerna": f"lerna.json {_SCRIPTS}",
    "lint-staged": ".lintstagedrc .lintstagedrc.json lint-staged.config.js lint-staged.config.mjs",
    "mage": "magefile.go",
    "make": _MAKEFILES,
    "melos": "melos.yaml",
    "meson": "meson.build",
    "mise": (
        "mise.toml .mise.toml mise.local.toml .mise.local.toml mise/config.toml "
        ".mise/config.toml .config/mise.toml .config/mise/config.toml .tool-versions"
    ),
    "mix": "mix.exs",
    "moon": "moon.yml .moon/workspace.yml .moon/toolchain.yml .moon/tasks.yml",
    "mvn": _MAVEN,
    "mvnw": _MAVEN,
    "ninja": "build.ninja",
    "nix": _NIX,
    "nix-build": _NIX,
    "nix-shell": _NIX,
    "nodemon": "nodemon.json",
    "nox": "noxfile.py",
    "npm-run-all": _SCRIPTS,
    "npm-run-all2": _SCRIPTS,
    "nx": f"nx.json {_SCRIPTS} project.json",
    "overmind": f"{_PROCFILE} .overmind.env",
    "pants": "pants.toml",
    "pdm": _PYPROJECT,
    "pip": _PYTHON_BUILD,
    "pipenv": "Pipfile",
    "pixi": f"pixi.toml {_PYPROJECT}",
    "pm2": "ecosystem.config.js ecosystem.config.cjs",
    "podman": f"Containerfile Dockerfile {_COMPOSE}",
    "podman-compose": _COMPOSE,
    "poe": f"{_PYPROJECT} poe_tasks.toml poe_tasks.yaml poe_tasks.json",
    "poethepoet": _PYPROJECT,
    "poetry": f"{_PYPROJECT} poetry.toml",
    "pre-commit": _PRE_COMMIT,
    "pre_commit": _PRE_COMMIT,
    "prek": f"{_PRE_COMMIT} prek.toml",
    "premake5": "premake5.lua",
    "pulumi": "Pulumi.yaml",
    "rails": f"bin/rails {_RAKE}",
    "rake": _RAKE,
    "rebar3": "rebar.config rebar.config.script",
    "run-p": _SCRIPTS,
    "run-s": _SCRIPTS,
    "rye": _PYPROJECT,
    "sbt": "build.sbt project/plugins.sbt project/build.properties .sbtopts .jvmopts",
    "scons": "SConstruct Sconstruct sconstruct",
    "serverless": "serverless.yml serverless.ts",
    "skaffold": "skaffold.yaml",
    "stack": "stack.yaml package.yaml",
    "start-server-and-test": _SCRIPTS,
    "swift": "Package.swift",
    "task": _TASKFILE,
    "thor": "Thorfile",
    "tilt": "Tiltfile",
    "tox": f"tox.ini tox.toml {_PYPROJECT} setup.cfg",
    "turbo": f"turbo.json turbo.jsonc {_SCRIPTS}",
    "uv": f"{_PYPROJECT} uv.toml setup.py setup.cfg",
    "vagrant": "Vagrantfile",
    "waf": "wscript",
    "wireit": _SCRIPTS,
    "xmake": "xmake.lua",
    "zig": "build.zig",
}
_NPM_SETTINGS = ".npmrc"
_PNPM_SETTINGS = ".npmrc pnpm-workspace.yaml .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js"
_YARN_SETTINGS = ".npmrc .yarnrc .yarnrc.yml .env.yarn .corepack.env"
_BUN_SETTINGS = ".npmrc bunfig.toml"
# By program the settings that name its shell, what node loads first, hooks or the program itself
PACKAGE_SETTINGS = {
    **dict.fromkeys(("npm", "npx", "cnpm"), _NPM_SETTINGS),
    **dict.fromkeys(("pnpm", "pn", "pnpx", "pnx"), _PNPM_SETTINGS),
    **dict.fromkeys(("yarn", "yarnpkg"), _YARN_SETTINGS),
    **dict.fromkeys(("bun", "bunx"), _BUN_SETTINGS),
    # they start the package program whose lock file is there
    **dict.fromkeys(
        ("ni", "nr", "nlx", "corepack"),
        " ".join(dict.fromkeys(f"{_PNPM_SETTINGS} {_YARN_SETTINGS} {_BUN_SETTINGS}".split())),
    ),
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
