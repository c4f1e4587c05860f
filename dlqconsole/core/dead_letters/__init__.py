"""Dead letters: claim one for a retry under a lease, and settle the claim."""
