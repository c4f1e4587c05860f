class NotReady(Exception):
    """The console cannot do its work; the sentence holds no data, because strangers read it."""
