"""The settings of sealing."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, SecretStr
from pydantic_settings import NoDecode

from dlqconsole.configuration import checks
from dlqconsole.configuration.fields import setting, split


def _audit_keys(keys: list[SecretStr]) -> list[SecretStr]:
    """Accept keys of which the first is strong; older ones only verify."""
    if not keys:
        raise ValueError("There is nothing between its commas")
    checks.strong(keys[0])
    return keys


Keys = Annotated[list[SecretStr], NoDecode, BeforeValidator(split), AfterValidator(_audit_keys)]


class FeatureSettings(BaseModel):
    """The keys of the seals."""

    DLQ_AUDIT_KEY: Keys = setting(
        [], "keys that seal the audit log, the newest first: [security](security.md)", "made of `SECRET_KEY`"
    )
