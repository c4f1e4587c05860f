"""What failures have in common that successes have not, and what has changed in what comes in."""
