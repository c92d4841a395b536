"""Supervisor script that starts a program and ends it together with all its descendants.

    python -I -S supervise.py CONTROL ISOLATED DATA PROCESSES COMMAND...
    python -I -S supervise.py check

The supervisor is a child of the calling process, and the parent of the program that COMMAND starts.
It ends the program and its descendants when the program ends, or when the calling process writes to
or closes the file descriptor CONTROL. It then exits with the status of the program. The supervisor
is a subreaper: orphaned descendants of the program become its children, so it can always find them.

If ISOLATED is 1 and the system allows it, the program gets separate Linux namespaces for users,
processes and mounts, so it can see and signal only its own processes. DATA is the maximum data size
of each process in bytes, and PROCESSES is the maximum number of processes and threads; -1 means no
limit.

`check` exits with status 0 if programs can be isolated on this system, 1 if it denies namespaces,
and 2 if it denies a separate /proc.
"""

import ctypes
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress

SET_PARENT_DEATH, SET_SUBREAPER, NO_NEW_PRIVILEGES = 1, 36, 38
NEW_MOUNTS, NEW_USER, NEW_PROCESSES = 0x20000, 0x10000000, 0x20000000
CHECK_SECONDS = 0.2
MAX_FILES = 1 << 20


def _enter_namespaces(system: ctypes.CDLL) -> bool:
    """Move this process into separate Linux namespaces. Return whether the system allows this."""
    user, group = os.getuid(), os.getgid()
    if system.unshare(NEW_USER | NEW_PROCESSES | NEW_MOUNTS):
        return False
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with suppress(OSError), open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    return True


def _mount_processes(system: ctypes.CDLL) -> bool:
    """Mount a /proc that shows only the processes of this namespace. Return whether it worked."""
    return not system.mount(b"proc", b"/proc", b"proc", 0, None)


def _check() -> int:
    system = ctypes.CDLL(None)
    if sys.platform != "linux" or not _enter_namespaces(system):
        return 1
    first = os.fork()  # This is the first process of the new namespace.
    if not first:
        os._exit(0 if _mount_processes(system) else 2)
    return os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])


def _exec_program(command: list[str], data: int, processes: int) -> None:
    os.setsid()
    for kind, limit in (
        (resource.RLIMIT_DATA, data), (resource.RLIMIT_NPROC, processes), (resource.RLIMIT_CORE, 0),
    ):  # fmt: skip
        if limit >= 0:
            with suppress(OSError, ValueError):
                resource.setrlimit(kind, (limit, limit))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(127)


def _run_init(
    status: int, system: ctypes.CDLL, command: list[str], data: int, processes: int
) -> None:
    """Start the program and wait for it, as the first process (init) of a PID namespace."""
    system.prctl(SET_PARENT_DEATH, signal.SIGKILL)
    _mount_processes(system)  # If the system denies this, the command `check` reports it.
    program = os.fork()
    if not program:
        system.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _exec_program(command, data, processes)
    _close_files(status)
    while True:
        process, ended = os.wait()
        if process == program:
            os.write(status, ended.to_bytes(4, "little"))
            os._exit(0)


def _close_files(*kept: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for file in range(3):
        os.dup2(nothing, file)
    for low, high in zip((2, *sorted(kept)), (*sorted(kept), MAX_FILES), strict=True):
        os.closerange(low + 1, high)


def _end_all() -> None:
    """End all descendants of this process, even if they continue to fork."""
    while True:
        below = [os.getpid()]
        for parent in below:  # Descendants are appended to the list while it is traversed.
            with suppress(OSError):
                for task in os.listdir(f"/proc/{parent}/task"):
                    with open(f"/proc/{parent}/task/{task}/children") as file:
                        below += map(int, file.read().split())
        for process in below[1:]:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def _wait_for_end(program: int, control: int) -> int:
    """Wait until the program ends or the caller asks to end it. Return the program's status."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.signal(signal.SIGUSR1, lambda number, frame: os.kill(program, number))
    poll = select.poll()  # Unlike poll(), select() does not support high file descriptors.
    for file in (control, woken):
        poll.register(file, select.POLLIN)
    while True:
        process, status = os.waitpid(-1, os.WNOHANG)
        if process == program:
            return status
        if not process:
            ready = {file for file, _ in poll.poll(1000 * CHECK_SECONDS)}
            if control in ready:
                return signal.SIGKILL
            if woken in ready:
                os.read(woken, 4096)


def main() -> None:
    """Run the command `check`, or supervise a program, depending on the arguments."""
    if sys.argv[1:] == ["check"]:
        sys.exit(_check())
    control, isolated, data, processes = map(int, sys.argv[1:5])
    command, me = sys.argv[5:], os.getpid()
    os.set_inheritable(control, False)
    system = ctypes.CDLL(None)
    linux = sys.platform == "linux"
    own = bool(isolated) and linux and _enter_namespaces(system)
    if not own or tuple(map(int, os.uname().release.replace("-", ".").split(".")[:2])) < (5, 14):
        processes = -1  # No limit is set, because it would count all processes of the user.
    status_in, status_out = os.pipe()
    if linux:
        system.prctl(SET_SUBREAPER, 1)
    program = os.fork()
    if not program:
        if own:
            _run_init(status_out, system, command, data, processes)
        if linux:
            system.prctl(SET_PARENT_DEATH, signal.SIGKILL)
        if os.getppid() == me:
            _exec_program(command, data, processes)
        os._exit(127)
    os.close(status_out)
    _close_files(control, status_in)
    status = _wait_for_end(program, control)
    for end, group in ((os.killpg, program), (os.kill, program)):
        with suppress(ProcessLookupError, PermissionError):
            end(group, signal.SIGKILL)
    if linux:
        _end_all()
    if own:
        status = int.from_bytes(os.read(status_in, 4), "little") or status
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):  # Python cannot set the handlers of some signals.
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(me, os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
