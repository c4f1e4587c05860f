from dlqconsole.hosting import app


class RunningConfig(app.Ours):
    name = "dlqconsole.running"
