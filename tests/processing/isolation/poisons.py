"""Harm that a handler may do to its process. Each runs in a process of dlqconsole.processing.isolation."""

import asyncio
import contextlib
import logging
import mmap
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from dlqconsole.processing.isolation import Halt, output
from dlqconsole.processing.records import record_json

_calls = 0
_kept: list[bytes] = []
prepared = 0


def prepare():
    global prepared
    prepared = os.getpid()


def call(argument):
    """``argument`` is the name of a function here, and what it is given."""
    global _calls
    _calls += 1
    name, *given = argument
    return globals()[name](*given)


def echo(value):
    return value


def who():
    return {"pid": os.getpid(), "parent": os.getppid(), "calls": _calls, "prepared": prepared}


def hang():
    while True:
        time.sleep(0.05)


def swallow_exceptions():
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.05)


def swallow_everything():
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(0.05)


def sleep_in_c():
    """As a library that blocks signals would."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    time.sleep(60)


def leave():
    os._exit(9)


def crash():
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(5)


def exit_politely():
    sys.exit("enough")


def interrupt():
    raise KeyboardInterrupt


def fail():
    raise ValueError("no")


def leak():
    while True:
        _kept.append(b"x" * 4_000_000)


def grow():
    _kept.append(b"x" * 3_000_000)
    time.sleep(0.005)  # quicker ones are not looked at each time
    return who()


def grow_unseen():
    """Memory that counts as resident and is not our own data: a shared mapping."""
    shared = mmap.mmap(-1, 200_000_000)
    shared.write(bytes(200_000_000))
    time.sleep(30)


def not_picklable():
    return lambda: None


def close_everything(seconds=0.0):
    os.closerange(3, 200)
    time.sleep(seconds)
    return "heard"


def close_everything_and_wait():
    close_everything(5)


def write_into_everything():
    for descriptor in range(3, 60):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"\x00" * 64)
    return "never heard"


def fork():
    """The child comes back from here, too."""
    if os.fork() == 0:
        return "the child's"
    time.sleep(0.1)
    return "the parent's"


def leave_something_running():
    process = subprocess.Popen(["sleep", "60"])
    print(process.pid, flush=True)
    return process.pid


def leave_and_leave_something_running():
    os.write(1, str(leave_something_running()).encode())
    os._exit(0)


def talk():
    print("said " * 10)
    print("and to the other", file=sys.stderr)
    return "said"


def print_much(name, number, then=""):
    """By print, by logging, by a program and by the system's own call."""
    output.called("order.created", name)
    print("p" * number)
    logging.getLogger("shop").error("l" * number)
    subprocess.run([sys.executable, "-c", f"print('s' * {number})"], check=True)
    os.write(1, b"w" * number)
    if then:
        globals()[then]()
    return "printed"


def print_for_ever(name):
    output.called("order.created", name)
    while True:
        print("x" * 10_000)


def say(name, text):
    output.called("order.created", name)
    print(text)
    return "said"


def start_threads():
    for _ in range(5):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return "started"


def kill_the_template():
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(5)


def kill_the_template_by_its_group():
    os.killpg(os.getpgid(os.getppid()), signal.SIGKILL)
    time.sleep(5)


def leave_a_thread_that_ends_it():
    threading.Thread(target=lambda: (time.sleep(0.1), os._exit(7))).start()


def use_threads_and_processes():
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda _: subprocess.run(["true"], check=True), range(2)))
    return who()


def wait():
    time.sleep(0.4)
    return who()


def write_a_long_record():
    return record_json({"x": "a" * 40_000_000})


def write_text_into_everything():
    for descriptor in range(3, 60):
        with contextlib.suppress(OSError):
            os.write(descriptor, b'{"ok": true}\n' * 100)
    time.sleep(60)


def descriptors():
    """Return what is open, by sort: where it leads to."""
    names = [name for name in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{name}")]
    return sorted(os.readlink(f"/proc/self/fd/{name}").partition(":")[0] for name in names if int(name) > 2)


def signals():
    """Those of the parent's that are still handled here as there."""
    return [
        name
        for name in ("SIGUSR1", "SIGUSR2", "SIGCHLD")
        if callable(signal.getsignal(getattr(signal, name)))
    ]


def nap(seconds, name=""):
    """In C, as a call of another system is: no thread is interrupted there."""
    time.sleep(seconds)
    return name


def spin(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
    return "spun"


def leave_soon(seconds):
    time.sleep(seconds)
    os._exit(9)


def halt(value):
    return Halt(value)


def take_memory(doubtful=True):
    return Halt("no memory", doubtful=doubtful)


def note(path, name, seconds=0.0):
    """Say in a file that it began."""
    with open(path, "a") as file:
        file.write(f"{name}\n")
    time.sleep(seconds)
    return name


async def nap_async(seconds, name=""):
    await asyncio.sleep(seconds)
    return name


async def fail_async():
    await asyncio.sleep(0)
    raise ValueError("no")


async def hold_on():
    """Whoever cancels it is not listened to."""
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)


async def block_the_loop(seconds):
    time.sleep(seconds)


async def exit_async():
    sys.exit("enough")


async def leave_async():
    await asyncio.sleep(0.1)
    os._exit(9)


async def where():
    return threading.current_thread().name, len(asyncio.all_tasks())
