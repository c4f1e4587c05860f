"""The unit and the proxy of docs/production-debian.md, by their own linters where these are installed."""

import os
import shutil
import subprocess
import sys

import pytest

from dlqconsole.configuration.demo_environment import CHECKOUT

EXAMPLES = CHECKOUT / "examples" / "debian"
PROGRAM = "/opt/dlqconsole/bin/dlqconsole"
CERTIFICATES = "/etc/letsencrypt/live/dlq.example.org"
PATH = f"{os.environ['PATH']}:/usr/sbin"


def linter(name):
    return shutil.which(name, path=PATH) or pytest.skip(f"{name} is not installed")


def test_systemd_understands_the_unit(tmp_path):
    text = (EXAMPLES / "dlqconsole.service").read_text()
    assert PROGRAM in text
    unit = tmp_path / "dlqconsole.service"
    unit.write_text(text.replace(PROGRAM, sys.executable))
    assert said_by(linter("systemd-analyze"), "verify", "--man=no", unit) == ""


def test_nginx_understands_the_proxy(tmp_path):
    text = (EXAMPLES / "nginx.conf").read_text()
    assert CERTIFICATES in text
    proxy = tmp_path / "proxy.conf"
    # any port will do for whoever is not root
    proxy.write_text(
        text.replace(CERTIFICATES, str(tmp_path)).replace("listen 80", "listen 8080").replace("443", "8443")
    )
    make_certificate(tmp_path)
    main = tmp_path / "nginx.conf"
    main.write_text(
        f"pid {tmp_path}/pid; error_log stderr warn;"
        f" events {{}} http {{ access_log off; include {proxy}; {folders(tmp_path)} }}"
    )
    assert said_by(linter("nginx"), "-t", "-q", "-p", tmp_path, "-c", main) == ""


def folders(home):
    names = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return " ".join(f"{name}_temp_path {home}/{name};" for name in names)


def make_certificate(folder):
    request = [linter("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    files = ["-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"]
    subprocess.run([*request, *files], capture_output=True, check=True)


def said_by(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout + done.stderr + ("" if done.returncode == 0 else f" (status {done.returncode})")
