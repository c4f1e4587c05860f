from dlqconsole.hosting import app


class ReportsConfig(app.Ours):
    name = "dlqconsole.reports"
