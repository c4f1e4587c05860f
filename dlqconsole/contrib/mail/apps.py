from dlqconsole.hosting import app


class MailConfig(app.Ours):
    name = "dlqconsole.contrib.mail"
