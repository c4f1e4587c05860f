"""PGMQ at its best: without the transaction that its client puts around each call."""

from tests.bench.peers import pgmq


class Peer(pgmq.Peer):
    autocommit = True
