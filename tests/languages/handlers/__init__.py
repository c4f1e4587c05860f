"""What the workers do with a message, in each language the same."""
