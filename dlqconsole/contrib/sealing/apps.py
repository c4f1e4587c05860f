from dlqconsole.hosting import app


class SealingConfig(app.Ours):
    name = "dlqconsole.contrib.sealing"
