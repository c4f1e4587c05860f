"""Changes in incoming payloads."""
