"""Who holds a lease."""

import os
import socket
import uuid


def owner_name() -> str:
    """The name of one holder: host, process, and a part that no later process repeats."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
