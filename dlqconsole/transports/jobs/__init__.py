"""Tables of jobs that other programs run: failed jobs become dead letters, and are retried in their place."""
