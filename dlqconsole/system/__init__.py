"""The machine that a process runs on: its Java, its memory, its other processes. Standard library only."""
