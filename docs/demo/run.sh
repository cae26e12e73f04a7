#!/bin/sh
# Repairs a copy of the bundled project: everything is real but the model, which plays a script.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
project=$(mktemp -d)/shop
cp -R "$here/project" "$project"
git -C "$project" init --quiet
git -C "$project" add --all
git -C "$project" -c user.name=demo -c user.email=demo@example.invalid \
    -c commit.gpgsign=false commit --quiet --message "A shop with two wrong prices"

echo "The model of this demonstration is scripted: it plays docs/demo/scenario.json."
echo "The graph, the tools, the commands, the tests and the checkpoints are real."
echo "The project is $project"
echo
status=0
mcode task "The tests in tests/test_prices.py fail. Repair the prices." \
    --folder "$project" --model "scripted/$here/scenario.json" --apply || status=$?
echo
echo "Look at the thread:  mcode threads list --all   ·   mcode threads show THREAD"
echo "Go on with one:      mcode resume THREAD"
exit "$status"
