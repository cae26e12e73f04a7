"""Ways out of the sandbox that were tried on this one or on others; scripts of bash, by name.

`$BASE` is the folder around the project, `$PID` a process outside, `$TCP` and `$UDP` are ports of
listeners outside, `$PYTHON` is the system's.
"""

WRITES_OUTSIDE = {
    "absolute path": 'echo x > "$BASE/outside/escaped"',
    "dot dot": "echo x > ../outside/escaped; echo x > ../escaped",
    "over a file": 'echo x > "$BASE/outside/file"; truncate -s 0 "$BASE/home/.gitconfig"',
    "through a link to a folder": 'ln -s "$BASE/outside" way; echo x > way/escaped',
    "through a link to a file": 'ln -s "$BASE/outside/file" way; echo x > way',
    "through a hard link": 'ln "$BASE/outside/file" way && echo x > way',
    "root of itself": 'echo x > /proc/self/root"$BASE"/outside/escaped',
    "root of the first process": 'echo x > /proc/1/root"$BASE"/outside/escaped',
    "working folder of the first process": "echo x > /proc/1/cwd/../outside/escaped",
    "remount": "mount -o remount,rw /; mount -o remount,rw,bind /; echo x > $BASE/outside/escaped",
    "bind mount": 'mkdir m; mount --bind "$BASE/outside" m; echo x > m/escaped',
    "umount of the project": 'umount -l "$BASE/project"; umount -l /; echo x > ../outside/escaped',
    "own namespaces": """
        unshare -rm bash -c 'mount -o remount,rw,bind /; umount -l "$BASE/project"
        mkdir -p m; mount --rbind / m; mount -o remount,rw,bind m
        echo x > m$BASE/outside/escaped; echo x > $BASE/outside/escaped'
""",
    "own namespaces without root": """
        unshare -Um bash -c 'mount --bind "$BASE/outside" lib
        echo x > lib/escaped'
""",
    "chroot": """
        chroot / bash -c 'echo x > "$BASE/outside/escaped"'
""",
    "device of the disk": """
        for d in $(ls /sys/class/block | head -5); do
        mknod $d b $(tr : ' ' < /sys/class/block/$d/dev) && dd if=/dev/zero of=$d count=0
        dd if=/dev/null of=/dev/$d count=1 && echo x > /etc/escaped; done
""",
    "memory of the machine": "mknod mem c 1 1 && cat mem; dd if=/dev/mem of=mem count=1",
    "system's settings": """
        echo x > /etc/escaped; echo '|/bin/sh' > /proc/sys/kernel/core_pattern
        echo b > /proc/sysrq-trigger; echo 1 > /proc/sys/vm/drop_caches
""",
    "release agent of a control group": """
        mkdir c; mount -t cgroup -o rdma cgroup c; mount -t cgroup2 none c
        mkdir c/x && echo 1 > c/x/notify_on_release; echo "$BASE/x" > c/release_agent
        echo $$ > /sys/fs/cgroup/cgroup.procs; mkdir /sys/fs/cgroup/escaped
""",
    "shared memory": """
        echo x > /dev/shm/escaped; ls /dev/shm | grep -v escaped; echo x > /run/escaped
""",
    "temporary folder": "echo x > /tmp/escaped; echo x > /var/tmp/escaped; ls /tmp | grep pytest",
    "project moved": """
        mv "$BASE/project" "$BASE/p2"; mv "$BASE" /tmp/b; rename project p2 ../project
""",
    "inherited descriptors": """
        for fd in $(ls /proc/self/fd); do echo x > /proc/self/fd/$fd/escaped
        [ "$fd" -gt 2 ] && echo x >&$fd; done; ls -l /proc/self/fd | grep -c "$BASE/outside"
        cd /proc/1/fd && for fd in *; do echo x > $fd/../../outside/escaped; done
""",
    "opened by handle": """
        "$PYTHON" - <<'E'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
class Handle(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint), ("kind", ctypes.c_int), ("data", ctypes.c_char * 128)]
handle, mount = Handle(128), ctypes.c_int()
path = os.environ["BASE"].encode() + b"/outside"
libc.name_to_handle_at(-100, path, ctypes.byref(handle), ctypes.byref(mount), 0)
fd = libc.open_by_handle_at(os.open(".", os.O_RDONLY), ctypes.byref(handle), os.O_RDONLY)
print(fd, os.strerror(ctypes.get_errno()))
os.open("escaped", os.O_CREAT | os.O_WRONLY, dir_fd=fd)
E
""",
    "cloned mount": """
        "$PYTHON" - <<'E'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
path = os.environ["BASE"].encode() + b"/outside"
fd = libc.syscall(428, -100, path, 1)  # open_tree(OPEN_TREE_CLONE)
print(fd, os.strerror(ctypes.get_errno()))
attributes = (ctypes.c_uint64 * 4)(0, 1, 0, 0)  # clear read-only
print(libc.syscall(442, -100, b"/", 0x8000, attributes, 32), ctypes.get_errno())
os.open("escaped", os.O_CREAT | os.O_WRONLY, dir_fd=fd if fd >= 0 else None)
open(path + b"/escaped", "w")
E
""",
}

STEERS_TOOLS = {
    "hook": "echo 'touch x' > .git/hooks/pre-commit; echo x > .git/hooks/post-checkout",
    "hooks replaced": """
        rm -rf .git/hooks; mv .git/hooks h; mkdir -p .git/hooks; ln -sfn .. .git/hooks
""",
    "git configuration": """
        git config core.fsmonitor x; echo '[a]' >> .git/config; rm -f .git/config
""",
    "git configuration renamed over": "echo '[a]' > c; mv -f c .git/config; ln -f c .git/config",
    "git folder moved": "mv .git g2 && mkdir .git && cp -r g2/* .git; rm -rf .git/config",
    "git folder exchanged": """
        cp -r .git evil; "$PYTHON" - <<'E'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print(libc.renameat2(-100, b"evil", -100, b".git", 2), os.strerror(ctypes.get_errno()))
E
""",
    "another common folder": "mkdir e; echo ../e > .git/commondir; echo x > .git/config.worktree",
    "nested repository": """
        echo x >> lib/.git/config; mv lib lib2 && mkdir -p lib/.git/hooks; echo x > lib/.git/hooks/a
        echo x > lib/.git/hooks/pre-commit; mv lib/.git g3
""",
    "missing file made": "for n in .llc.yaml .mcp.json MAXAGENT.md .envrc; do echo x > $n; done",
    "missing folder made": "mkdir -p .llc .idea/x .husky/_ .claude; echo x > .husky/pre-commit",
    "missing file made as a link": "echo x > y; ln -sf y .mcp.json; ln -s . .llc; cp -P y .envrc",
    "missing file renamed into place": """
        echo x > y; mv y .mcp.json; mv -T y .envrc; mkdir z; mv -T z .llc
""",
    "place of a missing file taken away": """
        rmdir .llc .mcp.json; mv .idea i; rm -rf .llc.yaml; echo > .llc
""",
    "protected file": "echo evil > AGENTS.md; sed -i s/good/evil/ AGENTS.md; rm -f AGENTS.md",
    "protected file, appended and touched": """
        echo evil >> AGENTS.md; chmod 777 AGENTS.md; chmod u+x .vscode
""",
    "protected link replaced": "rm CLAUDE.md; echo evil > CLAUDE.md",
    "protected link turned into a folder": "rm CLAUDE.md; mkdir CLAUDE.md; echo x > CLAUDE.md/x",
    "protected folder moved": "mv .vscode x; mkdir -p .vscode && echo evil > .vscode/settings.json",
    "folder above a protected one moved": """
        mv .github g; mkdir -p .github/workflows
        echo evil > .github/workflows/ci.yml
""",
    "protected folder's file": """
        echo x > .vscode/tasks.json; rm -r .vscode; echo x > .github/workflows/ci.yml
""",
    "mounted over": """
        mkdir v; mount --bind v .vscode; umount .git/hooks; umount AGENTS.md
        echo > AGENTS.md
""",
}

READS_SECRETS = {
    "opened": 'cat .env deep/er/server.key secrets/* "$BASE/home/.ssh/id_ed25519"',
    "of the home": 'cat ~/.ssh/* ~/.aws/* ~/.npmrc; cat "$BASE"/home/.*/* "$BASE"/home/.npmrc',
    "of the agent": 'cat "$BASE"/agent/data/*; ls -R "$BASE/agent"; cat "$BASE"/agent/*',
    "hard link": "ln .env e; ln deep/er/server.key k; ln -L .env l; cat e k l",
    "moved": "mv .env e; mv deep d2; mv secrets s2; cat e d2/er/* s2/*",
    "folder above moved and made again": """
        mv deep/er deep/ou; cat deep/ou/server.key; cp -a deep x; cat x/*/*
""",
    "copied": """
        cp .env e; cp --reflink=always .env f; cp -a . ../p2; cp -a . /tmp/p
        cat e f /tmp/p/.env
""",
    "packed": """
        tar cf - . 2>&1; tar cf t.tar .env deep secrets; cat t.tar; cpio -o < /dev/null
        gzip -c .env
""",
    "mapped": """
        "$PYTHON" -c 'import mmap,os; f=os.open(".env",0); print(mmap.mmap(f,0,prot=1)[:])'
""",
    "umount of the mask": "umount .env; umount -l .env; umount secrets; cat .env secrets/*",
    "own namespaces": """
        unshare -rm bash -c 'umount -l .env; umount -l secrets; cat .env secrets/one.txt'
""",
    "bound elsewhere": "unshare -rm bash -c 'mkdir m; mount --bind . m; cat m/.env m/secrets/*'",
    "roots": "cat /proc/*/root$PWD/.env; cat /proc/*/cwd/.env; cat /proc/1/root/oldroot$PWD/.env",
    "old root": "ls /oldroot /newroot; cat /oldroot$PWD/.env /newroot$PWD/.env; cat //$PWD//.env",
    "found in the mounts": """
        cat /proc/self/mountinfo | cut -d' ' -f4,5 | xargs -n1 -I@ cat @ @/one.txt @/.env
""",
    "made readable": """
        chmod 777 .env secrets deep/er/server.key; chown $(id -u) .env; cat .env secrets/*
""",
    "written over": """
        cat main.py > .env; dd if=main.py of=.env; truncate -s 100 .env; git add -f .env
""",
    "by git": """
        git add -f .env deep secrets; git diff --no-index /dev/null .env
        git hash-object -w .env
""",
    "environment of a process": """
        cat /proc/*/environ | tr '\\0' '\\n' | grep lily; ps auxe | grep lily
""",
    "memory of a process": 'gdb -p "$PID" -batch -ex "x/s *environ"; cat /proc/"$PID"/mem',
    "by descriptor": "exec 3<.env; cat <&3; cat < /proc/self/fd/3; cat /dev/fd/3",
    "loop device": "losetup -f; mount -o loop .env lib; cat lib/*",
}

REACHES_OUT = {
    "TCP": 'exec 3<>/dev/tcp/127.0.0.1/"$TCP"; echo x >&3; curl -m 1 http://127.0.0.1:"$TCP"',
    "TCP to other addresses": """
        for a in 0.0.0.0 localhost ::1 ::ffff:127.0.0.1 $(hostname -I); do
        "$PYTHON" -c "import socket,sys;socket.create_connection(('$a', $TCP), 2)"; done
""",
    "UDP": 'echo x > /dev/udp/127.0.0.1/"$UDP"; echo x > /dev/udp/localhost/"$UDP"',
    "raw socket": """
        "$PYTHON" -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 255); s.sendto(b"x", ("127.0.0.1", 0))
socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'; ping -c1 -W1 8.8.8.8
""",
    "unix socket": """
        "$PYTHON" -c 'import os,socket
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["BASE"] + "/outside/service.sock")'
""",
    "unix socket by a link": """
        ln -s "$BASE/outside" o; "$PYTHON" -c 'import socket
socket.socket(socket.AF_UNIX).connect("o/service.sock")'
""",
    "unix socket bound by a relative name": """
        cd ../outside; "$PYTHON" -c 'import socket
socket.socket(socket.AF_UNIX).connect("relative.sock")'
""",
    "unix socket that was renamed": """
        "$PYTHON" -c 'import os,socket
socket.socket(socket.AF_UNIX).connect(os.environ["BASE"] + "/outside/renamed.sock")'
""",
    "unix socket of another network": """
        "$PYTHON" -c 'import os,socket
socket.socket(socket.AF_UNIX).connect(os.environ["BASE"] + "/outside/elsewhere.sock")'
""",
    "datagrams from one of a pair": """
        "$PYTHON" -c 'import os,socket
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
a.sendto(b"x", os.environ["BASE"] + "/outside/datagrams.sock")'
""",
    "a pair of streams connected again": """
        "$PYTHON" -c 'import os,socket
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    a, b = socket.socketpair(socket.AF_UNIX, kind)
    for name in ("renamed.sock", "datagrams.sock"):
        name = os.environ["BASE"] + "/outside/" + name
        for way in ("a.connect(name)", "a.sendto(bytes(1), name)", "b.close(); a.connect(name)"):
            try: exec(way)
            except OSError as error: print(error)'
""",
    "unix socket by the 32-bit numbers": """
        "$PYTHON" - <<'E'
import ctypes, mmap, os, platform, socket
if platform.machine() != "x86_64": raise SystemExit
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
# push rbx; socket(AF_UNIX, SOCK_STREAM, 0) by int 0x80; pop rbx; ret
code.write(bytes.fromhex("53 b867010000 bb01000000 b901000000 31d2 cd80 5b c3"))
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
print(fd := call())
socket.socket(fileno=fd).connect(os.environ["BASE"] + "/outside/renamed.sock")
E
""",
    "abstract unix socket": """
        "$PYTHON" -c 'import os,socket
name = os.path.basename(os.environ["BASE"])
socket.socket(socket.AF_UNIX).connect("\\0maxagent-" + name)'
""",
    "network of a process": """
        nsenter -t "$PID" -n bash -c "echo > /dev/tcp/127.0.0.1/$TCP"; ip link set lo up
""",
    "namespaces of the first process": 'nsenter -t 1 -a bash -c "echo > /dev/tcp/127.0.0.1/$TCP"',
}

TOUCHES_PROCESSES = {
    "signal": 'kill -9 "$PID"; kill -STOP "$PID"; pkill -9 sleep; kill -9 -1',
    "ptrace": 'strace -p "$PID" & gdb -p "$PID" -batch -ex kill; kill %1',
    "written into": 'echo x > /proc/"$PID"/mem; echo 15 > /proc/"$PID"/oom_score_adj',
    "as root": """
        sudo -n id; su -c 'touch /etc/escaped'; pkexec touch /etc/escaped; mount
        passwd -d root
""",
    "set user id": 'cp /bin/bash b; chown 0 b; chmod 4777 b; ./b -p -c "touch /etc/escaped"',
    "typed into the terminal": """
        "$PYTHON" -c 'import fcntl,termios,os
for path in ("/dev/tty", "/dev/pts/0", "/proc/self/fd/0", "/dev/console"):
    try:
        fcntl.ioctl(os.open(path, os.O_RDWR), termios.TIOCSTI, b"x")
        print("typed")
    except OSError as error: print(error)'
""",
    "keys of the kernel": "keyctl show; cat /proc/keys; keyctl new_session",
    "priority": 'renice -n -20 -p "$PID"; chrt -f -p 99 "$PID"; prlimit --pid "$PID" --nofile=1',
}

ATTACKS = {
    f"{kind}: {name}": script
    for kind, attacks in {
        "write": WRITES_OUTSIDE,
        "steer": STEERS_TOOLS,
        "read": READS_SECRETS,
        "reach": REACHES_OUT,
        "touch": TOUCHES_PROCESSES,
    }.items()
    for name, script in attacks.items()
}

WORK_WITHOUT = (
    "write: absolute path",
    "write: through a link to a folder",
    "steer: hook",
    "steer: git folder moved",
    "steer: missing file made",
    "steer: protected link replaced",
    "read: opened",
    "read: packed",
    "reach: TCP",
    "reach: UDP",
    "reach: unix socket",
    "reach: unix socket bound by a relative name",
    "reach: unix socket that was renamed",
    "reach: unix socket of another network",
    "reach: datagrams from one of a pair",
    "reach: unix socket by the 32-bit numbers",
    "reach: abstract unix socket",
)
"""Some of them, that show what they do where there is no sandbox: harmless to the machine."""
