from dlqconsole.hosting import app


class TransportsConfig(app.Ours):
    name = "dlqconsole.transports"
