"""Parts of the proof of the audit log in tests that look at everything: see tests/of_features.py."""

from dlqconsole.contrib.sealing.checks import read_head

FOR_NOBODY = ("verify_audit",)
# settings that the pipeline never sees
SECRETS = ("DLQ_AUDIT_KEY",)
# what the account of the app may not
ATTACKS = """
    DELETE FROM audit_seals;
    TRUNCATE audit_seals;
"""
# what reads a file that a person names
read_file = read_head
ASKED_WRONGLY = [(("verify_audit", "--heads", "/"), "/: it is a folder, and only a plain file is read")]
