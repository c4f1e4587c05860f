"""`$DLQ_DATA_DIR/env`: how manage.py finds the running demo."""

import os
import stat

import pytest

from dlqconsole.configuration import demo_environment as environment


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A data directory of our own, and an environment that names no database."""
    # Whatever a test loads is put back afterwards.
    monkeypatch.setattr(os, "environ", dict(os.environ))
    os.environ.pop("DATABASE_URL", None)
    os.environ.pop("REDIS_URL", None)
    os.environ["DLQ_DATA_DIR"] = str(tmp_path)
    return tmp_path


def test_what_is_written_is_read_back_the_same(data):
    settings = {"DATABASE_URL": "postgresql://a:p%3Dw@127.0.0.1:1/x?a=b", "EMPTY": "", "WORDS": "a 'b' #c"}
    environment.write(data / "env", settings)
    assert environment.read(data / "env") == settings


def test_only_its_owner_can_read_the_file(data):
    environment.write(data / "env", {"SECRET_KEY": "s"})
    assert stat.S_IMODE((data / "env").stat().st_mode) == 0o600


def test_a_value_with_a_line_break_is_refused_rather_than_torn(data):
    with pytest.raises(ValueError, match="SECRET_KEY"):
        environment.write(data / "env", {"SECRET_KEY": "a\nDATABASE_URL=other"})


def test_the_running_demo_is_found(data):
    environment.write(data / "env", {"DATABASE_URL": "postgresql://demo", "REDIS_URL": "redis://demo"})
    assert environment.load_demo_environment()
    assert os.environ["DATABASE_URL"] == "postgresql://demo"


def test_what_a_person_set_stays(data):
    os.environ["REDIS_URL"] = "redis://mine"
    environment.write(data / "env", {"DATABASE_URL": "postgresql://demo", "REDIS_URL": "redis://demo"})
    environment.load_demo_environment()
    assert os.environ["REDIS_URL"] == "redis://mine"


def test_an_empty_value_counts_as_not_set(data):
    os.environ["DATABASE_URL"] = ""
    environment.write(data / "env", {"DATABASE_URL": "postgresql://demo"})
    assert environment.load_demo_environment()
    assert os.environ["DATABASE_URL"] == "postgresql://demo"


def test_with_a_database_of_ones_own_the_demo_is_left_alone(data):
    os.environ["DATABASE_URL"] = "postgresql://mine"
    environment.write(data / "env", {"DATABASE_URL": "postgresql://demo", "REDIS_URL": "redis://demo"})
    assert not environment.load_demo_environment()
    assert "REDIS_URL" not in os.environ


def test_the_address_of_the_demos_superuser_is_the_demos(data):
    del os.environ["SECRET_KEY"]
    os.environ["DATABASE_URL"] = "postgresql://superuser"
    environment.write(data / "env", {"DATABASE_URL": "postgresql://demo", "SECRET_KEY": "the demo's"})
    environment.write(data / "owner", {"DATABASE_URL": "postgresql://superuser"})
    assert environment.load_demo_environment()
    assert (os.environ["DATABASE_URL"], os.environ["SECRET_KEY"]) == ("postgresql://superuser", "the demo's")


def test_no_demo_is_no_error(data):
    assert not environment.load_demo_environment()


def test_without_a_setting_the_data_lies_in_the_checkout(data):
    del os.environ["DLQ_DATA_DIR"]
    assert environment.data_directory() == environment.CHECKOUT / ".data"
