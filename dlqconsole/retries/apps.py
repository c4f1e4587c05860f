from dlqconsole.hosting import app


class RetriesConfig(app.Ours):
    name = "dlqconsole.retries"
