"""python -m dlqconsole.configuration: write the README's table of settings anew."""

from .demo_environment import CHECKOUT
from .document import write_table

if __name__ == "__main__":
    write_table(CHECKOUT / "README.md")
