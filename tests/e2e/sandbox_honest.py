"""What commands ordinarily do, which the sandbox must not be in the way of; by name."""

HONEST = {
    "new files": "mkdir -p a/b; for n in $(seq 1000); do echo $n > a/b/$n; done; ls a/b | wc -l",
    "links": "ln -s main.py m; cat m; ln main.py h; echo '#' >> h; cat m h; rm m h; mv main.py n",
    "a commit": """
        git add main.py AGENTS.md CLAUDE.md && git commit -qm one && git log --oneline | grep one
        git switch -qc topic && echo 1 >> main.py && git commit -qam two && git switch -q -
        git merge -q topic && git tag v1 && git gc -q && git stash list && git fsck""",
    "a commit in a nested repository": "cd lib; echo 1 > f; git add f && git commit -qm one",
    "nothing new for git": "! git status --short | grep -e llc -e mcp -e idea -e envrc",
    "the standard library": '"$PYTHON" -c "import ssl, sqlite3, ctypes, venv"',
    "temporary files": """
        f=$(mktemp) && echo 1 > $f && rm $f
        "$PYTHON" -c "import tempfile as t; t.TemporaryFile()" """,
    "its own network": """"$PYTHON" -c '
import socket
server = socket.create_server(("localhost", 0))
socket.create_connection(server.getsockname())'""",
    "its own sockets and processes": """"$PYTHON" -c '
import multiprocessing, socket
a, b = socket.socketpair()
a.send(b"x")
b.recv(1)
print(multiprocessing.get_context("fork").Pool(2).map(abs, [-1]))
multiprocessing.Lock()'""",
    "devices": "head -c 8 /dev/urandom > r; echo > /dev/null; cat /dev/zero | head -c 1 | cat",
    "jobs and signals": "sleep 100 & kill %1; wait; trap 'exit 0' TERM; kill $$; exit 1",
    "its environment": '[ "$TMPDIR" = /tmp ] && [ "$HOME" = "$BASE/home" ] && cat ~/.gitconfig',
}
