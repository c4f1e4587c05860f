"""What consumers of others note of a failure: who failed, why and where."""

from datetime import UTC, datetime

import pytest

from dlqconsole.transports.rabbitmq.dialects import is_note, recognise

NSERVICEBUS = {
    "NServiceBus.FailedQ": "Sales@vm1",
    "NServiceBus.TimeOfFailure": "2026-11-26 13:12:16:123456 Z",
    "NServiceBus.ExceptionInfo.ExceptionType": "System.Exception",
    "NServiceBus.ExceptionInfo.InnerExceptionType": "System.TimeoutException",
    "NServiceBus.ExceptionInfo.Message": "no answer",
    "NServiceBus.ExceptionInfo.StackTrace": "System.Exception: billing\n   at Sales.Handle()",
    "NServiceBus.EnclosedMessageTypes": "Sales.PlaceOrder, Sales, Version=1.0.0.0;Sales.ICommand",
}
MASSTRANSIT = {
    "MT-Reason": "fault",
    "MT-Fault-ExceptionType": "System.InvalidOperation",
    "MT-Fault-Message": "no stock",
    "MT-Fault-StackTrace": "   at Stock.Consume()",
    "MT-Fault-Timestamp": "2026-11-26T13:12:16.1234567Z",
    "MT-Fault-RetryCount": 3,
    "MT-Fault-InputAddress": "rabbitmq://broker/shop/submit%2Dorder",
    "MT-Fault-ConsumerType": "Stock.SubmitOrderConsumer",
    "MT-Fault-MessageType": "Stock.Submit",
}
SPRING = {
    "x-exception-message": "Listener failed",
    "x-exception-stacktrace": "spring.Failed: no\n\tat A\nCaused by: shop.NoStock$Gone: none\n\tat B",
    "x-original-exchange": "",
    "x-original-routingKey": "orders",
}
REJECTED = "Rejected: its consumer rejected it and did not say why"
DEATHS = [
    {"queue": "orders", "reason": "rejected", "count": 2, "exchange": "shop", "routing-keys": ["a"]},
    {"queue": "orders.wait", "reason": "expired", "count": 1},
]


@pytest.mark.parametrize(
    ("headers", "by", "queue", "reason", "event_type"),
    [
        (NSERVICEBUS, "NServiceBus", "Sales", "System.TimeoutException: no answer", "Sales.PlaceOrder"),
        (MASSTRANSIT, "MassTransit", "submit-order", "System.InvalidOperation: no stock", "Stock.Submit"),
        (SPRING, "Spring AMQP", "orders", "shop.NoStock.Gone: none", ""),
        ({"x-death": DEATHS}, "RabbitMQ", "orders", REJECTED, ""),
        ({"MT-Reason": "skipped"}, "MassTransit", "orders", "Skipped: no consumer of the queue took it", ""),
        ({"trace": "t1"}, "", "", "DeadLettered: nobody noted why", ""),
    ],
)  # fmt: skip
def test_each_says_who_failed_why_and_where(headers, by, queue, reason, event_type):
    foreign = recognise(headers, "orders_error")
    assert (foreign.noted_by, foreign.queue, foreign.event_type) == (by, queue, event_type)
    assert foreign.failure.reason == reason


def test_the_consumer_knows_more_than_its_broker():
    foreign = recognise({"x-death": DEATHS, **MASSTRANSIT}, "dead")
    assert foreign.noted_by == "MassTransit"
    assert foreign.failure.stacktrace == "at Stock.Consume()"
    assert foreign.facts["dlq_deliveries"] == 4
    assert (foreign.facts["dlq_deaths"], foreign.facts["dlq_exchange"]) == (2, "shop")


@pytest.mark.parametrize("headers", [NSERVICEBUS, MASSTRANSIT])
def test_the_moment_is_the_failure_s(headers):
    moment = recognise(headers, "dead").failed_at
    assert moment == datetime(2026, 11, 26, 13, 12, 16, 123456, tzinfo=UTC)


def test_a_revived_message_carries_no_note_of_its_failure():
    kept = {
        name for name in {**NSERVICEBUS, **MASSTRANSIT, **SPRING, "x-delivery-count": 1} if not is_note(name)
    }
    assert kept == {"NServiceBus.EnclosedMessageTypes"}
