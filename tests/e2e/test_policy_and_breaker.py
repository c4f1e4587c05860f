"""J9: change a policy, see its next runs, stop a destination, look at the lock; what waits says why."""

import re

import pytest
from playwright.sync_api import expect

from dlqconsole.engine.models import AuditEntry, Breaker
from dlqconsole.retries.models import RetryPolicy
from tests.accounts import actor_of
from tests.conftest import signed_in as client_of
from tests.e2e.journeys import Hand, assert_accessible
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_maintainer_changes_a_policy_and_stops_a_destination(signed_in, live_server, letter):
    one = letter()
    page = signed_in("maintainer")
    page.goto(live_server.url)
    hand = Hand(page)
    hand.click(page.get_by_role("link", name="Schedules"))
    hand.click(page.get_by_role("link", name="all dead letters"))
    page.get_by_label("Waits after a failure").select_option("fixed")
    page.get_by_label("First wait").fill("6h")
    page.get_by_label("Most retries").fill("7")
    # the preview follows what is typed, without a click
    runs = page.locator("#policy-preview")
    expect(runs).to_contain_text("The next five runs")
    page.get_by_label(re.compile("^Why")).fill("billing needs more time")
    hand.click(page.get_by_role("button", name="Keep it"))
    assert RetryPolicy.objects.get().max_retries == 7

    hand.click(page.get_by_role("link", name="Schedules").first)
    hand.click(page.get_by_role("link", name="Hold one"))
    page.get_by_role("textbox", name="Breaker").fill("type:order.created")
    page.get_by_label("Until").fill("2h")
    page.get_by_label(re.compile("^Why")).fill("billing is down")
    hand.click(page.get_by_role("button", name="Hold"))
    expect(page.locator("#sc-breakers")).to_contain_text("held open")
    expect(page.locator("#sc-lock")).to_contain_text("Holder")
    assert hand.clicks <= 6
    assert_accessible(page)
    assert Breaker.objects.get().held == "open"
    actors = set(AuditEntry.objects.values_list("actor", flat=True))
    assert actors == {actor_of("maintainer")}

    page.goto(f"{live_server.url}/dead-letters/{one}/")
    expect(page.locator("#dl-why")).to_contain_text("open until")


def test_an_operator_pauses_and_sees_who_may_change_a_policy(signed_in, live_server, letter):
    letter()
    page = signed_in("operator")
    page.goto(f"{live_server.url}/schedules/")
    hand = Hand(page)
    refused = page.get_by_role(
        "button", name=re.compile("^New policy ?: Only a maintainer may change policies")
    )
    expect(refused).to_have_attribute("aria-disabled", "true")
    hand.click(page.get_by_role("link", name="Pause all"))
    page.get_by_label(re.compile("^Why")).fill("deployment")
    hand.click(page.get_by_role("button", name="Pause"))
    expect(page.locator("#sc-policies")).to_contain_text("Paused")
    hand.click(page.get_by_role("link", name="Resume all"))
    page.get_by_label(re.compile("^Why")).fill("deployed")
    hand.click(page.get_by_role("button", name="Resume"))
    expect(page.locator("#sc-policies")).not_to_contain_text("Paused")
    assert hand.clicks <= 6
    assert client_of("viewer").post("/schedules/pause/", {"reason": "no"}).status_code == 403
