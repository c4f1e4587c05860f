"""The run of the archive is for administrators."""

from dlqconsole.runs.models import PipelineRun


def test_a_job_for_administrators_is_refused_to_an_operator(operator, admin_user_client):
    for answer in (operator.get("/runs/new/archive/"), operator.post("/runs/new/archive/", {"reason": "x"})):
        assert answer.status_code == 403
        assert "Only an admin may" in answer.content.decode()
    assert not PipelineRun.objects.exists()
    assert admin_user_client.post("/runs/new/archive/", {"reason": "x"}).status_code == 302
    assert PipelineRun.objects.get().kind == "archive"
