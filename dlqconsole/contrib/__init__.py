"""Features, each whole in a folder, present by one line of FEATURES. Nothing below knows them."""
