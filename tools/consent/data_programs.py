"""Programs that get files as data, and programs that run the command behind their own options."""

# No option of theirs runs anything (what `find` runs is a command of the line)
_PLAIN = (
    "base64 basename bzip2 cat chgrp chmod chown cksum cmp comm cp csplit cut date dd "
    "df diff dirname du echo egrep expand false fgrep file find fmt fold grep gunzip gzip "
    "head hexdump iconv join ln ls md5sum mkdir mktemp mv nl od "
    "paste pr printf readlink realpath rm rmdir seq sha1sum sha256sum "
    "shasum shred shuf stat strings sum tac tail tee test touch tr tree true "
    "truncate uniq unlink unxz unzip wc which xxd xz zcat zstd [ "
)
# Their operands are data, but an option may name a program, a plugin or settings
_FILE_PROGRAMS = "7z curl install jq less more patch rg rsync scp sed sort split tar wget yq zip "
COMPILERS = ("gcc", "g++", "clang", "clang++", "rustc")
# Their configuration and plugins are the project's, as its sources are
_CHECKERS = (
    "autopep8 ava bandit black cargo clang-format clang-tidy coverage ctest cypress djlint "
    "dotnet eslint flake8 gcc g++ clang clang++ git go gofmt golangci-lint hadolint isort "
    "jest jshint karma ktlint markdownlint mocha mypy phpunit playwright prettier py.test "
    "pycodestyle pydocstyle pylint pyright pytest rspec rubocop ruff rustc rustfmt shellcheck "
    "shfmt standard stylelint swiftformat swiftlint taplo tsc tsd ty unittest vitest vulture "
    "xo yamllint "
)
PLAIN_PROGRAMS = frozenset(_PLAIN.split())
DATA_PROGRAMS = frozenset((*PLAIN_PROGRAMS, *_FILE_PROGRAMS.split(), *_CHECKERS.split()))

# Their commands that run the files that follow, and what these run by a fixed name
RUN_COMMANDS = {
    "cargo": ("run", "r"),
    "coverage": ("run",),
    "dotnet": ("run", "exec", "script"),
    "go": ("run",),
    "git": ("run", "foreach"),
}
RUN_FILES = {
    "cargo": ("src/main.rs", "build.rs"),
    "dotnet": ("Program.cs", "*.csproj", "*.fsproj"),
}

# What they run is a command of the line in its own right
WRAPPERS = frozenset(
    (
        "bunx",
        "chronic",
        "command",
        "doas",
        "env",
        "exec",
        "ionice",
        "nice",
        "nohup",
        "npx",
        "pnpx",
        "setsid",
        "stdbuf",
        "sudo",
        "time",
        "timeout",
        "uv",
        "uvx",
        "xargs",
    )
)
