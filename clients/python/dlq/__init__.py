"""Reports what failed to dlqconsole."""
