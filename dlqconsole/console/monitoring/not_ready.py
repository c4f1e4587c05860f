class NotReady(Exception):
    """What keeps the console from its work, as a sentence without any data: strangers read it."""
