"""What has changed in what comes in."""
