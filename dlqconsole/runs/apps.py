from dlqconsole.hosting import app


class RunsConfig(app.Ours):
    name = "dlqconsole.runs"
