# Stands for an editor in commands, where nobody could use one: they would wait until their time is over.
cat >&2 <<'END'
mcode: a command cannot open an editor. Give the text itself: `git commit -m TEXT`,
`git tag -m TEXT`, `GIT_EDITOR=true git rebase --continue`.
END
exit 1
