"""python -m dlqconsole.processing.isolation DESCRIPTOR: the template process, on its parent's socket."""

import sys

from .template import main

main(int(sys.argv[1]))
