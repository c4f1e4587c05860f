from dlqconsole.hosting import app


class ApiConfig(app.Ours):
    name = "dlqconsole.contrib.api"
