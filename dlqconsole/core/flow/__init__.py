"""Flow control: how fast failures are tried again."""
