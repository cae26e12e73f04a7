#!/bin/sh
# Runs the suite on every Python from 3.11 that this machine has, each in an environment of its own.
set -u
cd "$(dirname "$0")/.."
failed=""
for version in 3.11 3.12 3.13 3.14; do
    if ! "python$version" -c "" 2>/dev/null; then
        echo "== python$version is not on this machine: skipped"
        continue
    fi
    echo "== python$version"
    make --no-print-directory test PYTHON="python$version" VENV=".venv-$version" || failed="$failed $version"
done
[ -z "$failed" ] || { echo "failed on:$failed"; exit 1; }
