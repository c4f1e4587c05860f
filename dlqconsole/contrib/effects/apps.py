from dlqconsole.hosting import app


class EffectsConfig(app.Ours):
    name = "dlqconsole.contrib.effects"
