"""Fleet-wide locks in the table ``shedlock``, by ShedLock's contract: a Java fleet can share them.

A lock is a lease: it keeps two schedulers from doing the same work, and runs out by itself when its holder
dies. It is no fence: whoever works under one must still move rows by compare-and-set. The fence is the
lock's token, which rises with every acquisition: a write that shows an older one is refused.

Every statement commits by itself on a connection of its own. Within somebody's open transaction the
database's CURRENT_TIMESTAMP would stand still, and a lock could be born already expired.
"""

from dlqconsole.engine.database.locks.held_lock import HeldLock, Holder, holder, lock_held
from dlqconsole.engine.database.locks.shedlock import Handle, LockMisused, ShedLock

__all__ = ["Handle", "HeldLock", "Holder", "LockMisused", "ShedLock", "holder", "lock_held"]
