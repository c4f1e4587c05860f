"""One worker's part in reviving: what is due goes back on its queue, as its consumers handle it.

Nothing waits for an outcome. No more than ``MOST_UNDER_WAY`` messages of an event type are without one, and
what fails again slows its failure group as a retry does.
"""

import time

from dlqconsole.core.dead_letters import reviving
from dlqconsole.core.dead_letters.reviving import Revived, RevivedPage, ReviveRequest
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.retries import actions
from dlqconsole.retries.lanes import WorkerLanes
from dlqconsole.retries.run_records import RunRecord
from dlqconsole.retries.throttle import Room, Throttle
from dlqconsole.retries.worker_lane import WorkerLane

MOST_UNDER_WAY = 500
# consumers that settle nothing for so long are not waited for
SILENT_SECONDS = 10.0
# the newest whose outcomes this worker hears
MOST_WATCHED = 5_000


class Reviver:
    """Revives what is due for a run, a page of each lane at a time."""

    def __init__(self, record: RunRecord, throttle: Throttle) -> None:
        self.lanes = WorkerLanes(1)
        self._record, self._throttle = record, throttle
        self._under_way: dict[str, int] = {}
        # by event type: when its number under way went down last
        self._moved_at: dict[str, float] = {}
        self._watched: dict[int, Revived] = {}

    def follow(self, workers: int) -> None:
        """Follow the policies, the consumers, and what became of the revived."""
        now = actions.revivals()
        self.lanes.follow(now.lanes, workers)
        for lane in self.lanes:
            self._note_under_way(lane, now.under_way.get(lane.lane.event_type, 0))
        self._under_way = dict(now.under_way)
        self._hear()

    def revive(self) -> None:
        """Revive a page of each lane that has room."""
        rooms = [(lane, self._room(lane)) for lane in self.lanes]
        rooms = [(lane, room) for lane, room in rooms if room.number]
        if not rooms:
            return
        requests = [request(lane, room) for lane, room in rooms]
        pages = retry_transient(lambda: reviving.revive_due(requests, self._record.run.id))
        for (lane, room), page in zip(rooms, pages, strict=True):
            self._took(lane, room, page)

    def _room(self, lane: WorkerLane) -> Room:
        demand = min(lane.page(), MOST_UNDER_WAY - lane.under_way)
        if demand > 0:
            return self._throttle.room(lane, demand, revives=True)
        if lane.under_way >= MOST_UNDER_WAY:
            silent = time.monotonic() - self._moved_at[lane.lane.event_type]
            lane.is_full = silent > SILENT_SECONDS
        return Room(0)

    def _took(self, lane: WorkerLane, room: Room, page: RevivedPage) -> None:
        lane.note_taken(page.due, room.number)
        lane.under_way += len(page.revived)
        self._throttle.took(lane, room, page.revived)
        numbers = {"revived": len(page.revived), "exhausted": page.exhausted}
        # an attempt, and over
        self._record.counts.update(numbers, claimed=page.failed, failed=page.failed)
        self._watched |= {one.id: one for one in page.revived}
        for number in list(self._watched)[:-MOST_WATCHED]:
            del self._watched[number]

    def _note_under_way(self, lane: WorkerLane, number: int) -> None:
        event_type = lane.lane.event_type
        is_moving = number < self._under_way.get(event_type, number + 1)
        if is_moving or event_type not in self._moved_at:
            self._moved_at[event_type] = time.monotonic()
        lane.under_way = number
        lane.is_full = lane.is_full and number >= MOST_UNDER_WAY

    def _hear(self) -> None:
        counts = {number: one.revive_count for number, one in self._watched.items()}
        for number, came_back in (reviving.outcomes(counts) if counts else {}).items():
            one = self._watched.pop(number)
            self._throttle.note_revived(one.event_type, one.group_id, came_back)


def request(lane: WorkerLane, room: Room) -> ReviveRequest:
    """Return the request for a page of the lane."""
    claim, policy = lane.request(room.number, 0.0, room.group_limits), lane.lane.policy
    return ReviveRequest(
        event_type=claim.event_type,
        room=claim.room,
        max_retries=claim.max_retries,
        lease=claim.lease,
        categories=claim.categories,
        only_groups=claim.only_groups,
        but_groups=claim.but_groups,
        slowed=claim.slowed,
        only_queues=claim.only_queues,
        first_wait=policy.backoff.base,
        longest_wait=policy.backoff.cap,
        factor=policy.backoff.factor,
        reason=actions.why_revived(policy, claim.event_type),
    )
