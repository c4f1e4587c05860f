"""Django's admin: dead letters to look at and to act on, everything else to look at only.

Nothing here writes a row itself. The actions ask for an operation, as the console's buttons do.
"""

from dlqconsole.console.admin import dead_letters, messages, people, tables

__all__ = ["dead_letters", "messages", "people", "tables"]
