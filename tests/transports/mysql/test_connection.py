"""When MySQL is away, comes back, or was never there: one sentence, and on it goes."""

import os
import subprocess
import sys

import pytest

from dlqconsole.configuration.addresses import MysqlAddress
from dlqconsole.core.errors import UnknownQueue
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.mysql.source import MysqlSource, from_settings


def test_a_connection_that_went_away_is_opened_anew(mariadb, mysql_transport):
    mysql_transport.send("orders", "{}")
    [(mine,)] = mariadb.ask(
        "SELECT id FROM information_schema.processlist WHERE command = 'Sleep' AND id <> CONNECTION_ID()"
        " ORDER BY id DESC LIMIT 1"
    )
    mariadb.ask(f"KILL {mine}")
    assert mysql_transport.send("orders", "{}")


def test_a_forked_child_opens_its_own_connection_and_leaves_its_parents_alone(mysql_transport):
    def session():
        with mysql_transport.connections.transaction() as cursor:
            cursor.execute("SELECT CONNECTION_ID() AS number")
            return cursor.fetchone()["number"]

    parents = session()
    child = os.fork()
    if child == 0:
        try:
            childs = session()
            mysql_transport.close()
            os._exit(0 if childs != parents else 2)
        except BaseException:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert session() == parents


def test_a_server_that_is_down_is_named_and_is_used_again_once_it_is_back(mariadb, mysql_transport):
    sent = mysql_transport.send("orders", "{}")
    mariadb.kill()
    try:
        with pytest.raises(TransportUnavailable, match=r"MySQL at 127.0.0.1:\d+ does not answer"):
            mysql_transport.claim("orders", 1, "me", 60)
    finally:
        mariadb.start()
    assert [delivery.id for delivery in mysql_transport.claim("orders", 1, "me", 60)] == [sent]


def test_a_wrong_password_or_database_is_refused_without_showing_the_password(mariadb):
    for url in (mariadb.url(password="hunter2"), mariadb.url(database="none_such")):
        with pytest.raises(TransportUnavailable, match=r"refused us.*Check DLQ_MYSQL_URL") as refused:
            MysqlSource(url).metrics("orders")
        assert "hunter2" not in str(refused.value)


def test_a_database_without_the_tables_says_what_to_run(mariadb):
    mariadb.ask("CREATE DATABASE IF NOT EXISTS bare")
    transport = MysqlSource(mariadb.url(database="bare"))
    with pytest.raises(UnknownQueue, match=r"run dlqconsole/transports/mysql/mysql_tables.sql"):
        transport.claim("orders", 1, "me", 60)
    transport.create_tables()
    transport.create_tables()
    assert transport.send("orders", "{}") == "1"
    mariadb.ask("ALTER TABLE bare.dlq_message_queue DROP COLUMN attempts")
    with pytest.raises(TransportUnavailable, match=r"not as in mysql_tables.sql.*attempts"):
        transport.claim("orders", 1, "me", 60)
    mariadb.ask("DROP DATABASE bare")
    transport.close()


def test_an_administrator_can_run_the_file_of_tables_as_it_is(mariadb):
    mariadb.ask("CREATE DATABASE IF NOT EXISTS by_hand")
    command = ["mariadb", f"--socket={mariadb.home / 'socket'}", "-u", "dlqconsole", "by_hand"]
    with open("dlqconsole/transports/mysql/mysql_tables.sql") as file:
        subprocess.run(command, stdin=file, env=os.environ | {"MYSQL_PWD": mariadb.password}, check=True)
    transport = MysqlSource(mariadb.url(database="by_hand"))
    assert transport.send("orders", "{}") == "1"
    transport.close()
    mariadb.ask("DROP DATABASE by_hand")


def test_without_a_setting_there_is_no_mysql(settings):
    settings.DLQ_MYSQL_URL = ""
    with pytest.raises(TransportUnavailable, match="set DLQ_MYSQL_URL"):
        from_settings()


def test_an_address_keeps_what_passwords_hold():
    address = MysqlAddress.from_url("mysql://app:p%40s%2Fs%23@db.example:3307/queues?tls=true")
    assert (address.user, address.password, address.tls) == ("app", "p@s/s#", True)
    assert (address.host, address.port, address.database) == ("db.example", 3307, "queues")
    assert "p@s" not in repr(address)


@pytest.mark.parametrize(
    "url",
    [
        "postgres://u:secret@h/d",
        "mysql://h/d",
        "mysql://u:secret@h",
        "mysql://u:secret@h:99999/d",
        "mysql://u:sec/ret@h:3306/d",
        "mysql://u:secret@h/d?charset=latin1",
        "mysql://u:secret@h/d?tls=yes",
    ],
)
def test_a_bad_address_stops_the_start_with_a_sentence_that_keeps_the_password(url):
    environment = os.environ | {"DLQ_MYSQL_URL": url}
    done = subprocess.run(
        [sys.executable, "-c", "import dlqconsole.settings"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.startswith("dlqconsole cannot start: DLQ_MYSQL_URL: ")
    assert done.stderr.count("\n") == 1
    assert "sec" not in done.stderr
