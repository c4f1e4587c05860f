#!/usr/bin/env python
"""The command line of a checkout; an installed package has it as `dlqconsole`."""

from dlqconsole.__main__ import main

if __name__ == "__main__":
    main()
