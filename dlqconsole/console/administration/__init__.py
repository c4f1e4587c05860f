"""Django's admin, of our own project: dead letters can be acted on, everything else can only be read.

Nothing here writes a row itself. The actions request an operation, as the console's buttons do.
"""

from dlqconsole.console.administration import dead_letters, people, tables

__all__ = ["dead_letters", "people", "tables"]
