"""PGMQ's Python client on the queue of dlqconsole. Copy this folder; it needs psycopg[binary,pool] only."""

from .client import PGMQueue
from .records import BatchTopicResult, Message, QueueMetrics, QueueRecord, TopicBinding

__all__ = ["BatchTopicResult", "Message", "PGMQueue", "QueueMetrics", "QueueRecord", "TopicBinding"]
