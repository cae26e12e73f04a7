#!/bin/sh
# Repairs a copy of the bundled project: everything is real but the model, which plays a script.
# Its threads and its yes to the project are in a home of its own, beside the copy.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
project=$place/shop
export MAXAGENT_HOME="$place/home"
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
    --trust --folder "$project" --model "scripted/$here/scenario.json" --mode auto --apply || status=$?
echo
cd "$project"
mcode threads list
echo
echo "In $project, with $(command -v mcode):"
echo "  export MAXAGENT_HOME=$MAXAGENT_HOME"
echo "                            where its threads are; your own are untouched"
echo "  mcode threads show ID     what the thread did, and its evidence"
echo "  mcode resume ID           continues after Ctrl-C or a crash; here it reports how it ended"
echo "Without --mode auto the tests are asked about first where there is no sandbox."
echo "Without --apply a task ends with a question: keep, undo, or request changes."
echo "All of it is in $place: remove that when you have looked."
exit "$status"
