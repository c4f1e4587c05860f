"""A project with the console as a guest: each of the two has its own, and neither is in the other's way."""

import json
import os
import re
import secrets
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

CHECKOUT = Path(__file__).parents[2]
PROJECTS = (
    *("auth_group", "auth_group_permissions", "auth_permission", "clerks", "clerks_groups"),
    *("clerks_user_permissions", "django_admin_log", "django_content_type", "django_migrations"),
    *("django_session", "queues"),
)


@pytest.fixture(scope="module")
def address(test_database):
    """The address of an empty database."""
    name = f"test_guest_{secrets.token_hex(4)}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(name)))
        yield f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{name}"
        server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def project(*arguments, **environment):
    """Run a program of the project, with no setting of ours in its environment but these."""
    return subprocess.run(
        [sys.executable, "-m", *arguments],
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
    assert "Your account has no role here yet." in seen["without a role"]["text"]


@pytest.mark.parametrize("page", ["overview", "list", "dead letter", "confirm"])
def test_a_page_leads_to_pages_below_its_prefix_and_files_below_ours(seen, page):
    assert seen[page]["status"] == 200
    text = seen[page]["text"]
    assert 'href="/tools/dlq/groups/"' in text
    assert '"/static/dlqconsole/console/console.css"' in text
    assert 'href="/groups/"' not in text


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
