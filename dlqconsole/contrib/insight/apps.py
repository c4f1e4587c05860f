from dlqconsole.hosting import app


class InsightConfig(app.Ours):
    name = "dlqconsole.contrib.insight"
