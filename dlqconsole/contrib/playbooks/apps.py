from dlqconsole.hosting import app


class PlaybooksConfig(app.Ours):
    name = "dlqconsole.contrib.playbooks"
