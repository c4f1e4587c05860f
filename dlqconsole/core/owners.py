"""The names of lease holders."""

import os
import socket
import uuid


def owner_name() -> str:
    """Return a holder's name: host, process, and a part that no later process repeats."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
