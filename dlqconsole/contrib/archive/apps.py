from dlqconsole.hosting import app


class ArchiveConfig(app.Ours):
    name = "dlqconsole.contrib.archive"
