"""SPARK_MASTER: what Spark knows is taken, anything else refused before Spark is started."""

import pytest

from dlqconsole.configuration.spark_master import check_spark_master

KNOWN = ["local", "local[*]", "local[2]", "local[2,3]", "local[*, 3]", "local-cluster[2,1,1024]", "yarn"]
KNOWN += ["spark://host:7077", "spark://a:7077,b:7077", "k8s://https://host:443"]
UNKNOWN = [
    "lokal",
    "local[0]",
    "local[-1]",
    "local[x]",
    "local[2",
    "local[2,0]",
    "spark://host",
    "",
    " local",
]


def test_what_spark_knows_is_taken():
    for master in KNOWN:
        check_spark_master(master)


@pytest.mark.parametrize("master", UNKNOWN)
def test_anything_else_is_refused_with_the_forms_there_are(master):
    with pytest.raises(ValueError, match=r"local\[\*\] or local\[2\] .* spark://host:7077, yarn or k8s://"):
        check_spark_master(master)
