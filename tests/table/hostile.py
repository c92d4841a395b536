"""A program that misbehaves at its second choice in a game: `hostile.py MODE [FILE]`.

It imports nothing of this project, because external programs do not.
"""

import json
import os
import signal
import sys


def answer(document: object) -> None:
    os.write(1, json.dumps(document).encode() + b"\n")


def leave_sleeper() -> None:
    """Leave a sleeping process behind, in another session and with another environment."""
    if not os.fork():
        os.setsid()
        if not os.fork():
            os.execvpe("sleep", ["sleep", os.environ.get("NAP", "1000")], {"NAME": "none"})
        os._exit(0)
    os.wait()


def hang(moves: list[str]) -> None:
    leave_sleeper()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while True:
        signal.pause()


def flood(moves: list[str]) -> None:
    while True:
        os.write(1, b"x" * 65536)


def flood_errors(moves: list[str]) -> None:
    for _ in range(300):
        os.write(2, b"y" * 65536)
    os.write(2, b"\nthe end of it\n")
    os._exit(3)


def twice(moves: list[str]) -> None:
    os.write(1, (json.dumps({"move": moves[0]}) + "\n").encode() * 2)


def early(moves: list[str]) -> None:
    os.write(1, (json.dumps({"move": moves[0]}) + "\n" + '{"move": ').encode())


def encoding(moves: list[str]) -> None:
    os.write(1, json.dumps({"move": moves[0]}).encode("utf-16") + b"\n")


def nan(moves: list[str]) -> None:
    os.write(1, b'{"move": "x", "delay": NaN}\n')


def infinite(moves: list[str]) -> None:
    os.write(1, b'{"wait": true, "delay": 1e999}\n')


def negative(moves: list[str]) -> None:
    os.write(1, b'{"wait": true, "delay": -0.5}\n')


def deep(moves: list[str]) -> None:
    os.write(1, b"[" * 100_000 + b"\n")


def long_number(moves: list[str]) -> None:
    os.write(1, b'{"action": ' + b"9" * 10_000 + b"}\n")


def other_game(moves: list[str]) -> None:
    answer({"move": "0 bakes a cake"})


def both(moves: list[str]) -> None:
    answer({"move": moves[0], "action": 0})


def action(moves: list[str]) -> None:
    answer({"action": -1})


def wait(moves: list[str]) -> None:
    answer({"wait": True})


def text(moves: list[str]) -> None:
    print("I think that I ask for 0/1", flush=True)  # noqa: T201  # as programs may


def leaves(moves: list[str]) -> None:
    leave_sleeper()
    os._exit(0)


def crashes(moves: list[str]) -> None:
    sys.stderr.write("no idea what to do\n")
    os.kill(os.getpid(), signal.SIGSEGV)


def closes(moves: list[str]) -> None:
    os.close(1)
    signal.pause()


def eats(moves: list[str]) -> None:
    kept = []
    while True:
        kept.append(bytes([7]) * (64 << 20))


def forks(moves: list[str]) -> None:
    while True:
        try:
            if not os.fork():
                os.setsid()
                signal.pause()
        except OSError:  # the limit is reached
            signal.pause()


def kills_supervisor(moves: list[str]) -> None:
    leave_sleeper()
    os.kill(os.getppid(), signal.SIGKILL)
    signal.pause()


def stops(moves: list[str]) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def dies_once(moves: list[str]) -> None:
    with open(sys.argv[2], "ab") as file:
        file.write(b".")
        file.flush()
        if file.tell() == 1:
            os.kill(os.getpid(), signal.SIGKILL)
    answer({"move": moves[0]})


def moves_folder(moves: list[str]) -> None:
    os.chdir("/")
    answer({"move": moves[0]})


def ignores_quit(moves: list[str]) -> None:
    leave_sleeper()
    answer({"move": moves[0]})


def main() -> None:
    mode = sys.argv[1]
    choices = 0
    while True:
        line = sys.stdin.readline()
        request = json.loads(line or '{"do": "quit"}')
        match request["do"]:
            case "new":
                choices = 0
                answer({"ready": f"{mode} 1"})
            case "choose":
                choices += 1
                if choices == 2:
                    globals()[mode](request["moves"])
                else:
                    answer({"move": request["moves"][0]})
            case "quit" if mode == "ignores_quit":
                signal.pause()
            case "quit":
                return


if __name__ == "__main__":
    main()
