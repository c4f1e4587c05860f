"""Saved views: a filter with a name, for oneself or for everybody."""

import pytest
from django.contrib.auth.models import User

from dlqconsole.console.models import SavedView
from dlqconsole.engine.models import AuditEntry
from dlqconsole.people.models import Scope
from tests.conftest import signed_in

FILTER = "type:a -status:DISCARDED"


def save(client, name="Mine", q=FILTER, **more):
    return client.post("/dead-letters/views", {"name": name, "q": q} | more, follow=True)


def shown(client):
    return [view["name"] for view in client.get("/dead-letters/").context["views"]]


def test_a_view_leads_to_its_filter(viewer, letter):
    letter("a"), letter("b")
    page = save(viewer, q="-status:discarded type:a")
    number = SavedView.objects.get().pk
    assert page.redirect_chain[0][0] == f"/dead-letters/?q=type:a+-status:DISCARDED&view={number}"
    [view] = page.context["views"]
    assert (view["url"], page.context["current_view"]["name"]) == (page.redirect_chain[0][0], "Mine")
    assert viewer.get(view["url"]).context["count"].value == 1
    assert not AuditEntry.objects.exists()


def test_an_opened_view_takes_another_filter_or_leaves_it_to_a_new_one(viewer, letter):
    letter("b"), letter("b", error_reason="Away: no")
    save(viewer)
    mine = SavedView.objects.get()
    # what leads on from an opened view keeps its number: the form, the tabs, the chips
    page = viewer.get(f"/dead-letters/?q=type:b&view={mine.pk}")
    current = page.context["current_view"]
    assert (current["name"], current["is_changed"]) == ("Mine", True)
    for link in (page.context["tabs"][0]["url"], page.context["filter"].active[0]["remove_url"]):
        assert link.endswith(f"view={mine.pk}")
    assert "view=" not in page.context["filter"].cleared_url
    text = page.content.decode()
    assert "Save as new" in text
    assert ">not saved<" in text

    page = save(viewer, "Other", q="type:b", sort="tries", view=mine.pk, as_new="1")
    other = SavedView.objects.exclude(pk=mine.pk).get()
    assert page.redirect_chain[0][0] == f"/dead-letters/?q=type:b&sort=tries&view={other.pk}"
    save(viewer, q="type:b", view=mine.pk)
    assert SavedView.objects.get(pk=mine.pk).filter == "type:b"


def test_a_view_opens_as_failure_groups(viewer, letter):
    letter("a"), letter("a", error_reason="Away: no")
    page = save(viewer, grouping="group")
    view = SavedView.objects.get()
    address = f"/dead-letters/?q=type:a+-status:DISCARDED&grouping=group&view={view.pk}"
    assert (view.grouping, page.redirect_chain[0][0]) == ("group", address)
    assert [row["matching"] for row in page.context["groups"]] == [1, 1]
    assert not page.context["current_view"]["is_changed"]
    as_list = viewer.get(page.context["filter"].regrouped_url)
    assert as_list.context["current_view"]["is_changed"]
    save(viewer, grouping="", view=view.pk)
    assert SavedView.objects.get().grouping == ""


def test_who_may_not_change_a_shared_view_saves_a_new_one(operator, viewer):
    save(operator, "Ours", shared="1")
    ours = SavedView.objects.get()
    text = viewer.get(f"/dead-letters/?q=type:b&view={ours.pk}").content.decode()
    assert "Save as new" in text
    assert "Delete this view" not in text
    assert "Operators share views" in save(viewer, "Ours", q="type:b", view=ours.pk).content.decode()
    assert "is saved" in save(viewer, "Mine", q="type:b", view=ours.pk, as_new="1").content.decode()
    assert list(SavedView.objects.order_by("pk").values_list("filter", flat=True)) == [FILTER, "type:b"]


def test_its_own_form_changes_it_and_deleted_it_is_gone(viewer):
    page = save(viewer)
    view = SavedView.objects.get()
    assert f'name="view" value="{view.pk}"' in page.content.decode()
    save(viewer, "Other", view=view.pk)
    save(viewer, "Other", q="type:b", view=view.pk)
    view = SavedView.objects.get()
    assert (view.name, view.filter) == ("Other", "type:b")
    viewer.post("/dead-letters/views", {"delete": view.pk})
    assert shown(viewer) == []


def test_others_see_it_once_it_is_shared_and_the_audit_knows(operator, viewer):
    save(operator, "Own"), save(operator, "Shared", shared="1")
    assert (shown(operator), shown(viewer)) == (["Own", "Shared"], ["Shared"])
    viewer.post("/dead-letters/views", {"delete": SavedView.objects.get(name="Shared").pk})
    viewer.post("/dead-letters/views", {"delete": SavedView.objects.get(name="Own").pk})
    assert shown(operator) == ["Own", "Shared"]
    operator.post("/dead-letters/views", {"delete": SavedView.objects.get(name="Shared").pk})
    assert [entry.action for entry in AuditEntry.objects.order_by("pk")] == ["save view", "delete view"]
    assert "saved the shared view" in operator.get("/audit/").content.decode()


@pytest.mark.parametrize(
    ("q", "more", "sentence"),
    [
        (FILTER, {"name": " "}, "Give the view a name."),
        (FILTER, {"name": "x" * 81}, "the limit is 80"),
        ("", {}, "Filter the list first"),
        ("stauts:PENDING", {}, "did you mean status?"),
        ("reason:ada@example.org", {"shared": "1"}, "a value that is masked"),
        ("payload.email:ada", {"shared": "1"}, "a value that is masked"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_sentence(operator, q, more, sentence):
    assert sentence in save(operator, q=q, **more).content.decode()
    assert not SavedView.objects.exists()


def test_a_view_keeps_the_order_and_the_columns_and_leads_back_to_them(viewer):
    page = save(viewer, sort="-tries", columns="type,tries,payload")
    own = "sort=-tries&columns=type,tries"
    view = SavedView.objects.get()
    own += f"&view={view.pk}"
    assert page.redirect_chain[0][0] == f"/dead-letters/?q=type:a+-status:DISCARDED&{own}"
    assert page.context["current_view"]["name"] == "Mine"
    assert (view.sort, view.columns) == ("-tries", "type,tries")
    without = viewer.get("/dead-letters/?q=type:a+-status:DISCARDED")
    assert without.context["current_view"] is None
    assert without.context["views"][0]["url"].endswith(own)


def test_columns_alone_are_a_view_and_saved_again_as_usual_they_are_gone(viewer):
    page = save(viewer, q="", columns="last_failure")
    number = SavedView.objects.get().pk
    assert page.context["current_view"]["url"] == f"/dead-letters/?columns=last_failure&view={number}"
    save(viewer, sort="-dead_since", view=number)
    view = SavedView.objects.get()
    assert (view.filter, view.sort, view.columns) == (FILTER, "", "")


def test_the_audit_keeps_order_and_columns_of_what_is_shared_alone(operator):
    save(operator, sort="tries"), save(operator, "Ours", sort="type", columns="type", shared="1")
    [entry] = AuditEntry.objects.all()
    assert entry.detail == {"name": "Ours", "filter": FILTER, "was": "", "sort": "type", "columns": "type"}


def test_a_name_that_is_taken_is_refused(operator, viewer):
    save(operator, "Ours", shared="1"), save(operator, "Secret"), save(viewer)
    for client, name in ((viewer, "Mine"), (viewer, "Ours"), (operator, "Ours")):
        assert f"There is a view “{name}” already" in save(client, name, q="type:b").content.decode()
    assert "is saved" in save(viewer, "Secret").content.decode()
    assert set(SavedView.objects.values_list("filter", flat=True)) == {FILTER}
    # nor by another name for one that is there, also where its owner alone sees who has it
    mine = SavedView.objects.get(name="Mine")
    assert "There is a view “Secret” already" in save(viewer, "Secret", view=mine.pk).content.decode()
    ours = SavedView.objects.get(name="Ours")
    another = signed_in("admin")
    assert (
        "There is a view “Secret” already"
        in save(another, "Secret", shared="1", view=ours.pk).content.decode()
    )


def test_another_operator_changes_a_shared_view_and_its_tick_is_set(operator, viewer):
    save(operator, "Ours", shared="1")
    view, another = SavedView.objects.get(), signed_in("admin")
    page = another.get("/dead-letters/?q=type:a+-status:DISCARDED").content.decode()
    assert 'name="shared" value="1" checked' in " ".join(page.split())
    save(another, "All of ours", view=view.pk, shared="1")
    changed = SavedView.objects.get()
    assert (changed.pk, changed.user_id, changed.name) == (view.pk, view.user_id, "All of ours")
    assert AuditEntry.objects.latest("pk").detail["was_name"] == "Ours"
    assert "Operators share views" in save(viewer, "Taken", view=view.pk).content.decode()
    assert SavedView.objects.get().name == "All of ours"


def test_the_log_keeps_the_filter_of_a_shared_view_that_is_deleted(operator):
    save(operator, "Ours", sort="type", shared="1")
    operator.post("/dead-letters/views", {"delete": SavedView.objects.get().pk})
    entry = AuditEntry.objects.get(action="delete view")
    assert entry.detail == {"name": "Ours", "filter": FILTER, "sort": "type"}


def test_viewers_share_nothing(viewer):
    assert "Operators share views" in save(viewer, shared="1").content.decode()
    assert not SavedView.objects.exists()


def test_who_sees_a_part_gets_nobody_elses_names(operator, viewer):
    save(operator, shared="1")
    Scope.objects.create(user=User.objects.get(username="viewer"), event_type="b")
    assert shown(viewer) == []


def test_who_sees_a_part_keeps_views_for_oneself(operator, letter):
    """Such a person may not know the names that are taken: two shared views could bear one."""
    letter("a")
    Scope.objects.create(user=User.objects.get(username="operator"), event_type="a")
    page = save(operator, shared="1").content.decode()
    assert "You see a part of the dead letters: save the view for yourself." in page
    assert 'name="shared"' not in page
    save(operator)
    assert [view.is_shared for view in SavedView.objects.all()] == [False]
