from django.apps import AppConfig


class RetriesConfig(AppConfig):
    name = "dlqconsole.retries"
    label = "retries"

    def ready(self) -> None:
        """Let the policies of the schedule decide the retry limits of every failure."""
        from dlqconsole.core.lifecycle import retry_limits
        from dlqconsole.retries.policies.limits import limits as by_policies

        retry_limits.decided_by(by_policies)
