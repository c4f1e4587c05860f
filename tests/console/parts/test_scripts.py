"""The browser's modules find each other, as they lie and under hashed names."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.management import call_command

STATIC = Path(settings.BASE_DIR) / "static" / "console"
SCRIPTS = sorted(STATIC.rglob("*.js"))
ENTRIES = {"console.js", "chart.js", "theme.js"}  # what pages ask for
IMPORT = re.compile(r'^import [^;]*from "([^"]+)";', re.MULTILINE)


class HashedNames(ManifestStaticFilesStorage):
    """The setting of an installation that lets browsers keep files for ever."""

    support_js_module_import_aggregation = True


def imports_of(script: Path) -> list[Path]:
    """The files that a module imports."""
    return [(script.parent / name).resolve() for name in IMPORT.findall(script.read_text())]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_has_short_lines_and_no_address(script):
    lines = script.read_text().splitlines()
    assert [number for number, line in enumerate(lines, 1) if len(line) > 110] == []
    # an address comes with the page, in an attribute; only imports name files
    assert [line for line in lines if re.search(r"""["'`]/[a-z]""", line)] == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_an_import_is_relative_and_there(script):
    assert all(name.startswith("./") for name in IMPORT.findall(script.read_text()))
    assert [file for file in imports_of(script) if not file.is_file()] == []


def test_no_module_is_left_over():
    imported = {file for script in SCRIPTS for file in imports_of(script)}
    assert {script.name for script in SCRIPTS if script not in imported} == ENTRIES


def test_modules_find_each_other_under_hashed_names(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": f"{HashedNames.__module__}.{HashedNames.__qualname__}"}
    }
    call_command("collectstatic", interactive=False, verbosity=0)
    hashed = list((tmp_path / "dlqconsole/console").rglob("*.????????????.js"))
    assert len(hashed) == len(SCRIPTS)
    for script in hashed:
        for file in imports_of(script):
            assert file.is_file()
            assert file in hashed
