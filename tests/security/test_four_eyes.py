"""Roads round four eyes: each is tried on what waits for approval, and must leave it waiting."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.test import Client

from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests import controls
from dlqconsole.operations.work import run
from dlqconsole.people import tokens
from dlqconsole.people.models import PersonalToken, RoleGrant
from tests.accounts import person, token_of
from tests.asking import ask_for
from tests.threads import at_once

LINE = "approvals round four eyes"
SPELLINGS = (
    "ANN",
    " ann",
    "ann ",
    "an\N{COMBINING TILDE}n",
    "\N{FULLWIDTH LATIN SMALL LETTER A}nn",
    "\N{CYRILLIC SMALL LETTER A}nn",
)


@pytest.fixture
def people(db, settings, monkeypatch) -> dict[str, str]:
    """Ann asks; Bob may approve. All others may not."""
    settings.DLQ_FOUR_EYES_ABOVE = 1
    for place in ("service", "controls"):
        monkeypatch.setattr(f"dlqconsole.operations.requests.{place}.wake", lambda operation_id: None)
    return {"ann": person("ann"), "bob": person("bob"), "vera": person("vera", "viewer")}


@pytest.fixture
def waiting(people, letter) -> int:
    """Ann's purge of two dead letters, frozen."""
    ids = [letter(status="DISCARDED") for _ in range(2)]
    operation = ask_for("purge", actor=people["ann"], ids=ids, expected=2)
    run.run(operation.pk, 0.0)
    return operation.pk


def account(actor: str) -> User:
    return User.objects.get(pk=int(actor[5:]))


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@contextmanager
def taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


class Roads:
    """Each way to approve, and each way to become somebody who may."""

    def __init__(self, operation_id: int, people: dict[str, str], settings, monkeypatch) -> None:
        self.operation_id, self.people = operation_id, people
        self.settings, self.monkeypatch = settings, monkeypatch

    def page(self, user: User) -> None:
        signed_in(user).post(f"/operations/{self.operation_id}/approval/", {"typed_count": "2"})

    def command(self, token: str = "") -> None:
        self.settings.DLQ_TOKEN = token
        with pytest.raises(CommandError):
            call_command("deadletters", "approve", str(self.operation_id), "--typed-count", "2")

    def service(self, actor: str) -> None:
        with pytest.raises(OperationRefused):
            controls.approve(self.operation_id, actor, 2)

    def every_way(self, user: User) -> None:
        self.page(user)
        self.service(f"user:{user.pk}")
        self.command(token_of(f"user:{user.pk}"))

    def all(self) -> Iterator[tuple[str, Callable[[], None]]]:
        ann, bob, vera = (account(self.people[name]) for name in ("ann", "bob", "vera"))
        yield "one's own", lambda: self.every_way(ann)
        yield "one's own, renamed", lambda: self.renamed(ann, "somebody")
        yield "one's own, as the other is called", lambda: self.swapped(ann, bob)
        for name in ("LOGNAME", "USER", "USERNAME", "SUDO_USER"):
            yield f"{name}=bob", lambda name=name: self.environment(name)
        for spelling in SPELLINGS:
            yield f"a new account {spelling!r}", lambda spelling=spelling: self.newcomer(spelling)
        yield "bob, deleted and made again", lambda: self.again(bob)
        yield "a viewer", lambda: self.every_way(vera)
        yield "a viewer made operator", lambda: self.promoted(vera, "operator")
        yield "a viewer made admin", lambda: self.promoted(vera, "admin")
        yield "a viewer made superuser by UPDATE", lambda: self.superuser(vera)
        yield "a viewer by renaming groups", lambda: self.groups_renamed(vera)
        yield "a viewer, with an older grant by SQL", lambda: self.older_grant(vera)
        yield "alone for a minute", lambda: self.alone(ann, bob)
        yield "alone, the other deleted", lambda: self.alone(ann, bob, delete=True)
        yield "bob switched off", lambda: self.switched_off(bob)
        for actor in ("bob", "cli:bob", "user:bob", "user:0", "", "canary", "retention", "user:1 OR 1=1"):
            yield f"the actor {actor!r}", lambda actor=actor: self.service(actor)
        yield "no token", self.command
        yield "a made-up token", lambda: self.command("dlq_" + "A" * 43)
        yield "bob's, by a shell", lambda: self.command(token_of(self.people["bob"], made_by="cli:root"))
        yield (
            "bob's, made by ann",
            lambda: self.command(token_of(self.people["bob"], made_by=self.people["ann"])),
        )
        yield "bob's, expired", lambda: self.spoilt(expires_at="2026-01-01T00:00Z")
        yield "bob's, revoked", lambda: self.spoilt(revoked_at="2026-01-01T00:00Z")
        yield "the hash of bob's", lambda: self.command(tokens._hash(token_of(self.people["bob"])))
        yield "too late", self.late

    def renamed(self, user: User, name: str) -> None:
        User.objects.filter(pk=user.pk).update(username=name)
        self.every_way(user)

    def swapped(self, ann: User, bob: User) -> None:
        User.objects.filter(pk=bob.pk).update(username="was bob")
        self.renamed(ann, "bob")

    def environment(self, name: str) -> None:
        self.monkeypatch.setenv(name, "bob")
        self.command()

    def newcomer(self, name: str) -> None:
        user = User.objects.create(username=name)
        user.groups.add(Group.objects.get(name="operator"))
        self.every_way(user)

    def again(self, bob: User) -> None:
        User.objects.get(pk=bob.pk).delete()
        self.newcomer("bob")

    def promoted(self, user: User, role: str) -> None:
        user.groups.set([Group.objects.get(name=role)])
        self.every_way(user)

    def superuser(self, user: User) -> None:
        User.objects.filter(pk=user.pk).update(is_superuser=True)
        self.every_way(User.objects.get(pk=user.pk))

    def groups_renamed(self, user: User) -> None:
        Group.objects.filter(name="operator").update(name="x")
        Group.objects.filter(name="viewer").update(name="operator")
        self.every_way(user)

    def older_grant(self, user: User) -> None:
        RoleGrant.objects.create(user_id=user.pk, role="operator", since="2020-01-01T00:00Z")
        self.promoted(user, "operator")

    def alone(self, ann: User, bob: User, *, delete: bool = False) -> None:
        User.objects.exclude(pk=ann.pk).update(is_active=False)
        if delete:
            User.objects.get(pk=bob.pk).delete()
        self.every_way(ann)

    def switched_off(self, bob: User) -> None:
        text = token_of(self.people["bob"])
        User.objects.filter(pk=bob.pk).update(is_active=False)
        self.service(self.people["bob"])
        self.command(text)

    def spoilt(self, **change: str) -> None:
        text = token_of(self.people["bob"])
        PersonalToken.objects.update(**change)
        self.command(text)

    def late(self) -> None:
        Operation.objects.update(approve_until="2026-01-01T00:00Z")
        self.every_way(account(self.people["bob"]))


def test_no_road_leads_round_the_second_person(waiting, people, settings, monkeypatch, scorecard):
    tried, broke = 0, []
    for name, road in Roads(waiting, people, settings, monkeypatch).all():
        with taken_back():
            road()
            tried += 1
            if Operation.objects.get(pk=waiting).status != "awaiting":
                broke.append(name)
    settings.DLQ_TOKEN = token_of(people["bob"])
    call_command("deadletters", "approve", str(waiting))
    assert Operation.objects.get(pk=waiting).status == "running"
    scorecard(LINE, tried=tried, broke=broke)


def test_nobody_without_a_proof_asks_for_what_needs_approval(people, letter, settings, scorecard):
    """Else one human asks by a shell, and approves in the browser."""
    letter(status="DISCARDED")
    proofs = ["", token_of(people["ann"], made_by="cli:root")]
    for token in proofs:
        settings.DLQ_TOKEN = token
        for kind in (["purge"], ["export", "--as-operation", "--unmasked"]):
            with pytest.raises(CommandError, match="has to prove who they are"):
                call_command("deadletters", *kind, "--all", "--because", "x")
    scorecard(LINE, tried=2 * len(proofs), broke=Operation.objects.count())


@pytest.mark.django_db(transaction=True)
def test_of_many_approvals_at_once_one_counts(waiting, people, scorecard):
    others = [people["bob"], people["bob"]]

    def approve(actor: str) -> str:
        try:
            with asking_as(EVERYTHING):
                controls.approve(waiting, actor)
        except (OperationRefused, DatabaseError):
            return "refused"
        return "approved"

    assert sorted(at_once([partial(approve, actor) for actor in others])) == ["approved", "refused"]
    scorecard(LINE, tried=1, broke=AuditEntry.objects.filter(action="approve").count() - 1)
