"""Programs that get files as data, and programs that run the command behind their own options."""

_FILE_PROGRAMS = (
    "7z base64 basename bzip2 cat chgrp chmod chown cksum cmp comm cp csplit curl cut date dd "
    "df diff dirname du echo egrep expand false fgrep file find fmt fold grep gunzip gzip "
    "head hexdump iconv install join jq less ln ls md5sum mkdir mktemp more mv nl od open "
    "paste patch pr printf readlink realpath rg rm rmdir rsync scp sed seq sha1sum sha256sum "
    "shasum shred shuf sort split stat strings sum tac tail tar tee test touch tr tree true "
    "truncate uniq unlink unxz unzip wc wget which xxd xz yq zcat zip zstd [ "
)
# Their configuration and plugins are the project's, as its sources are
_CHECKERS = (
    "autopep8 ava bandit black cargo clang-format clang-tidy coverage ctest cypress djlint "
    "dotnet eslint flake8 gcc g++ clang clang++ git go gofmt golangci-lint hadolint isort "
    "jest jshint karma ktlint markdownlint mocha mypy phpunit playwright prettier py.test "
    "pycodestyle pydocstyle pylint pyright pytest rspec rubocop ruff rustc rustfmt shellcheck "
    "shfmt standard stylelint swiftformat swiftlint taplo tsc tsd ty unittest vitest vulture "
    "xo yamllint "
)
DATA_PROGRAMS = frozenset((*_FILE_PROGRAMS.split(), *_CHECKERS.split()))

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
