"""What the pipeline is measured with: each program brings the same events in, by itself or with Spark."""
