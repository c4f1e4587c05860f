"""python -m dlqconsole.configuration: write the table of docs/settings.md anew."""

from .demo_environment import CHECKOUT
from .document import write_table

if __name__ == "__main__":
    write_table(CHECKOUT / "docs/settings.md")
