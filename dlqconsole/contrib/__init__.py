"""Features, each whole in a folder, present by one line of INSTALLED_APPS. Nothing below knows them."""
