from django.apps import AppConfig


class RetriesConfig(AppConfig):
    name = "dlqconsole.retries"
    label = "retries"

    def ready(self) -> None:
        """Whoever writes a failure asks the policies of the schedule."""
        from dlqconsole.engine.lifecycle import patience
        from dlqconsole.retries.policies.patience import patience as by_policies

        patience.decided_by(by_policies)
