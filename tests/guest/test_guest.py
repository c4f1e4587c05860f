"""A project with the console as a guest: each of the two has its own, and neither is in the other's way."""

import json
import os
import re
import secrets
import subprocess
import sys
import sysconfig
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

CHECKOUT = Path(__file__).parents[2]
SERVES = """
from django.test import Client
from tests.guest.project.archive.models import Clerk
clerk = Clerk.objects.create(login="late@shop.example")
client = Client(SERVER_NAME="localhost")
client.force_login(clerk)
print(client.get("/").text, client.get("/tools/dlq/").status_code)
clerk.delete()
"""
PROJECTS = (
    *("auth_group", "auth_group_permissions", "auth_permission", "clerks", "clerks_groups"),
    *("clerks_user_permissions", "django_admin_log", "django_content_type", "django_migrations"),
    *("django_session", "queues"),
)


@contextmanager
def empty_database():
    """The address of one."""
    name = f"test_guest_{secrets.token_hex(4)}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(name)))
        yield f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{name}"
        server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture(scope="module")
def address(test_database):
    with empty_database() as made:
        yield made


def project(*arguments, python=sys.executable, **environment):
    """Run a program of the project, with no setting of ours in its environment but these."""
    return subprocess.run(
        [python, "-m", *arguments],
        env={"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "tests.guest.project.settings"}
        | environment,
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def seen(address):
    """All that a program saw which migrated the project and visited its pages."""
    done = project("tests.guest.project.visit", DATABASE_URL=address)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_project_keeps_its_tables_and_its_sessions_as_they_are(seen):
    assert tuple(seen["tables in public"]) == PROJECTS
    assert seen["till"] == ["the till"]
    assert (seen["search path"], seen["statement timeout"]) == ('"$user", public', "0")


def test_no_label_of_ours_can_be_one_of_the_projects(seen):
    ours = seen["labels"][seen["labels"].index("archive") + 1 :]
    assert {label for label in ours if not label.startswith("dlq_")} == {"postgres"}


def test_a_stranger_is_sent_to_the_projects_own_sign_in_page(seen):
    assert (seen["stranger"]["status"], seen["stranger"]["headers"]["Location"]) == (
        302,
        "/come-in/?next=/tools/dlq/",
    )
    assert seen["stranger by htmx"]["headers"]["HX-Redirect"] == "/come-in/"
    assert seen["sign in"]["text"] == "come into the shop\n"


def test_health_needs_no_sign_in(seen):
    assert seen["health"]["status"] == 200


def test_an_account_without_a_role_sees_nothing(seen):
    assert seen["without a role"]["status"] == 403
    assert "<h1>You have no role here</h1>" in seen["without a role"]["text"]
    assert "Your account has no role here yet." in seen["without a role"]["text"]


@pytest.mark.parametrize("page", ["overview", "list", "dead letter", "confirm"])
def test_a_page_leads_to_pages_below_its_prefix_and_files_below_ours(seen, page):
    assert seen[page]["status"] == 200
    text = seen[page]["text"]
    assert 'href="/tools/dlq/groups/"' in text
    assert '"/static/dlqconsole/console/console.css"' in text
    assert 'href="/groups/"' not in text


def test_a_page_speaks_the_projects_language_if_it_has_it_and_offers_no_choice_without_an_address(seen):
    """The project speaks German, and whatever else a browser asks for."""
    assert [language(seen[page]) for page in ("list", "list in chinese")] == ["en", "zh-hans"]
    assert "<h1>死信</h1>" in seen["list in chinese"]["text"]
    assert 'name="language"' not in seen["list"]["text"] + seen["list in chinese"]["text"]


def language(page):
    (said,) = re.findall(r'<html lang="([^"]+)">', page["text"])
    assert page["headers"]["Content-Language"] == said
    return said


def test_static_files_are_there_by_our_name_alone(seen):
    assert list(seen["static"].values()) == [True, False, True]


def test_personal_data_is_masked_and_so_are_the_projects_own_keys(seen):
    text = seen["dead letter"]["text"]
    assert "order.created" in text
    assert "customer@home.example" not in text
    assert "the cat" not in text


def test_what_is_not_there_has_our_page_below_the_prefix_and_the_projects_elsewhere(seen):
    assert seen["not there"]["status"] == 404
    assert "There is no dead letter 999." in seen["not there"]["text"]
    assert seen["no page of the shop"]["text"] == "the shop has no such page\n"


def test_pages_of_the_project_have_no_policy_and_no_mask_of_ours(seen):
    for page in ("shop", "tellers", "sign in", "accounts", "no page of the shop"):
        assert "Content-Security-Policy" not in seen[page]["headers"]
    assert "Content-Security-Policy" in seen["list"]["headers"]
    # by a template called as one of ours
    assert seen["tellers"]["text"] == "ask teller@shop.example\n"


def test_a_revive_from_a_form_is_done_and_audited_in_the_accounts_name(seen):
    assert seen["viewer revives"]["status"] == 403
    assert seen["letter"]["status"] == "REVIVED"
    person = f"user:{seen['operator']}"
    assert [action for actor, action, _ in seen["audit"] if actor == person] == [
        *("request revive", "revive", "completed"),
    ]


def test_who_gets_a_role_is_in_the_audit_log(seen):
    entries = [detail for _, action, detail in seen["audit"] if action == "join role"]
    assert {"name": "operator@shop.example", "role": "operator"} in entries


def test_the_projects_admin_keeps_its_accounts(seen):
    assert seen["registered"] == ["archive.Clerk", "auth.Group"]
    assert (seen["accounts"]["status"], seen["new account"]["status"]) == (200, 200)


def test_the_project_deletes_accounts_and_groups_and_their_limits_go_along(seen):
    assert seen["deleted"] == [{"archive.Clerk": 1}, {"auth.Group": 1}]
    assert seen["limits"] == 0


def test_a_dump_of_the_projects_data_has_none_of_ours(seen):
    assert {"archive", "auth"} <= set(seen["dumped"])
    assert [label for label in seen["dumped"] if label.startswith("dlq_")] == []


def test_the_projects_celery_application_stays_the_current_one(seen):
    assert seen["celery"] == "shop"


@pytest.mark.slow
def test_the_oldest_django_that_is_promised_shows_the_same_pages(seen, tmp_path):
    python = with_oldest_django(tmp_path)
    with empty_database() as address:
        done = project("tests.guest.project.visit", python=python, DATABASE_URL=address)
    assert done.returncode == 0, done.stderr
    there = json.loads(done.stdout)
    assert there["django"] == "5.2"
    assert statuses(there) == statuses(seen)


def with_oldest_django(folder):
    """The Python of a virtual environment that has it, and the rest from here."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--quiet", "--python", str(python), "install"]
    subprocess.run([*pip, "--no-deps", "--no-compile", "django~=5.2.0"], check=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return str(python)


def statuses(pages):
    return {
        name: page["status"] for name, page in pages.items() if isinstance(page, dict) and "status" in page
    }


@pytest.fixture(scope="module")
def removed(seen, address, tmp_path_factory):
    """The database before ``remove``, behind it, after the project has worked alone, and with us again."""
    states = [state(address)]
    steps = (
        (("django", "remove", "--yes", "--to", str(tmp_path_factory.mktemp("way out") / "files")), {}),
        (("django", "shell", "--no-imports", "-v", "0", "-c", SERVES), {"SHOP_ALONE": "yes"}),
        (("django", "migrate", "--verbosity", "0"), {}),
    )
    for arguments, environment in steps:
        done = project(*arguments, DATABASE_URL=address, **environment)
        assert done.returncode == 0, done.stderr
        states.append(state(address) | {"said": done.stdout})
    return states


def state(address):
    """What is the project's: rows by table; and what is ours: triggers on its tables, and tables."""
    with psycopg.connect(address) as database:
        rows = {
            table: database.execute(SQL("SELECT * FROM {} ORDER BY 1").format(Identifier(table))).fetchall()
            for table in PROJECTS
            if table != "django_migrations"
        }
        ours = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = 'clerks'::regclass"
        tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'dlq'"
        history = "SELECT count(*) FROM django_migrations WHERE app LIKE 'dlq%'"
        counts = [database.execute(query).fetchone()[0] for query in (ours, tables, history)]
        schema = database.execute("SELECT to_regnamespace('dlq') IS NOT NULL").fetchone()[0]
    return {"rows": rows, "ours": counts, "schema": schema}


def test_remove_leaves_what_is_the_projects_and_nothing_of_ours(removed):
    before, behind, *_ = removed
    assert behind["rows"] == before["rows"]
    assert all(before["ours"])
    assert behind["ours"] == [0, 0, 0]
    assert not behind["schema"]
    assert "Left in the schema, not ours: nothing." in behind["said"]


def test_the_project_works_without_our_lines_and_migrate_brings_us_back(removed):
    before, _behind, alone, again = removed
    assert alone["said"] == "the shop 404\n"
    assert alone["ours"] == [0, 0, 0]
    assert again["ours"] == before["ours"]


def test_every_bad_setting_is_said_at_once():
    done = project(
        "django", "check", DATABASE_URL="postgres:///none", DLQ_RETRY_BATCH_SIZE="many", DLQ_LEASE_SECONDS="0"
    )
    assert "ImproperlyConfigured" in done.stderr
    assert "DLQ_RETRY_BATCH_SIZE" in done.stderr
    assert "DLQ_LEASE_SECONDS" in done.stderr


def test_a_database_that_is_no_postgresql_is_refused_by_a_check():
    done = project("django", "check", DATABASE_URL="sqlite://:memory:")
    assert "The database 'dlq' is no PostgreSQL" in done.stderr


def test_accounts_in_another_database_are_refused_by_a_check():
    done = project("django", "check", DATABASE_URL="postgres:///shop", CONSOLE_URL="postgres:///console")
    assert "The accounts are in the database 'default' and the console in 'dlq'" in done.stderr


def test_nothing_but_accounts_and_their_sessions_uses_the_projects_connection():
    """All else of ours takes it from ``hosting.database``, and pages from ``console.rendering``."""
    taking = re.compile(r"^ *from django\.(db|shortcuts) import .*\b(connection|transaction|render)\b", re.M)
    package = CHECKOUT / "dlqconsole"
    files = [file for file in package.rglob("*.py") if taking.search(file.read_text())]
    assert {str(file.relative_to(package)) for file in files} == {
        *("hosting/database.py", "tables/migrating.py", "people/actors.py", "console/access/backend.py"),
        *("running/management/commands/first_administrator.py", "running/removal.py"),
        *("console/access/sessions.py", "console/access/sign_in_views.py"),
    }
