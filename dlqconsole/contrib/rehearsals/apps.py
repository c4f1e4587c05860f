from dlqconsole.hosting import app


class RehearsalsConfig(app.Ours):
    name = "dlqconsole.contrib.rehearsals"
