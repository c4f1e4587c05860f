"""Make .venv and install what is wanted into it; run as a file, by any Python 3.8 or newer.

    python3 tools/bootstrap.py [demo] [spark] [dev]

The product's own requirements always come first. A second run with the same files returns at once.
Only the standard library and only old syntax here: this runs before anything is installed.
"""

from __future__ import annotations

import glob
import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(CHECKOUT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
# 3.13 is what we develop on; 3.12 is the oldest that Django 6 accepts.
NAMES = ("python3.13", "python3.12", "python3.14", "python3")
PROBE = "import sys, venv, ensurepip; print('%d %d' % sys.version_info[:2])"
NO_PYTHON = (
    "dlqconsole needs Python 3.12 or newer (3.13 is best) with its venv module, and found none. "
    "Install it, for example: apt-get install python3.13 python3.13-venv"
)


class CannotInstall(Exception):
    """An installation problem, said to the person in one line."""


def candidates() -> Iterator[str]:
    """Every Python that may be here: the ones on PATH, this one, then pyenv's."""
    folders = [part for part in os.environ.get("PATH", os.defpath).split(os.pathsep) if part]
    for name in NAMES:
        for folder in folders:
            yield os.path.join(folder, name)
    yield sys.executable
    for root in (os.environ.get("PYENV_ROOT"), os.path.join(os.path.expanduser("~"), ".pyenv")):
        if root:
            yield from sorted(glob.glob(os.path.join(root, "versions", "*", "bin", "python3")))


def version_of(python: str) -> tuple[int, int] | None:
    """(major, minor) as this Python itself says when run; a name on PATH may be a shim that fails: None."""
    try:
        process = subprocess.run(
            [python, "-c", PROBE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30
        )
        major, minor = process.stdout.split()
        return int(major), int(minor)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


def find_python() -> str:
    """The best Python here: 3.13 if there is one, else the first of 3.12 or newer."""
    good: str | None = None
    paths_so_far: set[str] = set()
    for path in candidates():
        if path in paths_so_far or not os.access(path, os.X_OK):
            continue
        paths_so_far.add(path)
        version = version_of(path)
        if version == (3, 13):
            return path
        if version and version >= (3, 12):
            good = good or path
    if good is None:
        raise CannotInstall(NO_PYTHON)
    return good


def requirement_files(sets: Sequence[str]) -> list[str]:
    """The pinned files of the wanted sets, in the order in which they build on each other."""
    names = ["requirements.txt", *(f"requirements-{name}.txt" for name in sets)]
    return [os.path.join(CHECKOUT, name) for name in names]


def stamp_of(file: str) -> str:
    """Return the file that notes that requirements are installed, under the hash of their text."""
    with open(file, "rb") as text:
        digest = hashlib.sha256(text.read()).hexdigest()
    return os.path.join(VENV, ".installed", f"{os.path.basename(file)}.{digest[:16]}")


def say(line: str) -> None:
    """One line for the person who waits."""
    print(line, flush=True)


def make_venv() -> None:
    """A .venv whose Python runs and is new enough; a broken one is made anew."""
    version = version_of(PYTHON)
    if version and version >= (3, 12):
        return
    python = find_python()
    say(f"Making .venv with {python} ...")
    run([python, "-m", "venv", "--clear", VENV], dict(os.environ), "making .venv failed")
    import_from_checkout()


def import_from_checkout() -> None:
    """Let tools started from any folder import this checkout, as an editable install would."""
    (packages,) = glob.glob(os.path.join(VENV, "lib", "python3*", "site-packages"))
    with open(os.path.join(packages, "dlqconsole-checkout.pth"), "w") as path:
        path.write(CHECKOUT + "\n")


def pip_settings() -> dict[str, str]:
    """pip's settings on this machine, from its files and the environment: {"index-url": ..., ...}."""
    process = subprocess.run(
        [PYTHON, "-m", "pip", "config", "list"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    settings = {}
    for line in process.stdout.decode("utf-8", "replace").splitlines():
        key, _, value = line.partition("=")
        scope, _, name = key.partition(".")
        if scope in ("global", "install", ":env:"):
            settings[name] = value.strip("'\"").replace("\\n", " ").strip()
    return settings


def uv_environment() -> dict[str, str]:
    """Our environment, with pip's registries, certificates and proxy handed over to uv."""
    settings = pip_settings()
    from_pip = {
        "UV_DEFAULT_INDEX": settings.get("index-url"),
        "UV_INDEX": settings.get("extra-index-url"),
        "UV_FIND_LINKS": ",".join(settings.get("find-links", "").split()),
        "UV_INSECURE_HOST": settings.get("trusted-host"),
        "UV_NO_INDEX": settings.get("no-index"),
        "UV_HTTP_TIMEOUT": settings.get("timeout"),
        "SSL_CERT_FILE": settings.get("cert"),
        "HTTPS_PROXY": settings.get("proxy"),
        # pip looks at all indexes together; with hashes that is as safe for uv.
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }
    environment = {name: value for name, value in from_pip.items() if value}
    environment.update(os.environ)
    environment.pop("VIRTUAL_ENV", None)
    return environment


def run(command: Sequence[str], environment: Mapping[str, str], problem: str) -> None:
    """Run one step; its own output is shown only when it fails."""
    process = subprocess.run(
        command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if process.returncode:
        sys.stderr.write(process.stdout.decode("utf-8", "replace")[-4000:])
        raise CannotInstall(f"{problem} (exit status {process.returncode}): the lines above say why")


def pip_install(files: Sequence[str]) -> None:
    """Install with plain pip: slower than uv, but everywhere."""
    requirements = [part for file in files for part in ("-r", file)]
    options = ["--quiet", "--no-input", "--disable-pip-version-check", "--require-hashes"]
    command = [PYTHON, "-m", "pip", "install", *options, *requirements]
    run(command, dict(os.environ), f"installing {names_of(files)} failed")


def uv_install(files: Sequence[str]) -> bool:
    """Install with uv, itself from the registry; False when it could not, so that pip may try."""
    try:
        if not os.path.exists(os.path.join(VENV, "bin", "uv")):
            pip_install([os.path.join(CHECKOUT, "requirements-uv.txt")])
        uv = [
            os.path.join(VENV, "bin", "uv"),
            "pip",
            "install",
            "--quiet",
            "--python",
            PYTHON,
            "--require-hashes",
        ]
        requirements = [part for file in files for part in ("-r", file)]
        run(uv + requirements, uv_environment(), "uv could not install")
        return True
    except (CannotInstall, OSError) as error:
        say(f"uv could not do it ({error}); trying pip ...")
        return False


def names_of(files: Sequence[str]) -> str:
    """The files' names, for a sentence."""
    return ", ".join(os.path.basename(file) for file in files)


def install(sets: Sequence[str]) -> None:
    """Bring .venv to what the wanted sets pin; nothing to do when their stamps are there."""
    make_venv()
    missing = [file for file in requirement_files(sets) if not os.path.exists(stamp_of(file))]
    if not missing:
        return
    say(f"Installing {names_of(missing)} ...")
    if not uv_install(missing):
        pip_install(missing)
    os.makedirs(os.path.join(VENV, ".installed"), exist_ok=True)
    for file in missing:
        open(stamp_of(file), "w").close()


def main(sets: Sequence[str]) -> int:
    """Install; 2 and one line when a person has to do something first."""
    # An exception, where the default would leave a running installer behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        install(sets)
    except CannotInstall as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
