"""The settings of the report by mail."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator
from pydantic_settings import NoDecode

from dlqconsole.configuration import checks
from dlqconsole.configuration.fields import setting, split

Addresses = Annotated[list[str], NoDecode, BeforeValidator(split), AfterValidator(checks.mail_addresses)]
Origin = Annotated[str, AfterValidator(checks.origin)]


class FeatureSettings(BaseModel):
    """Who gets the mail, and where its links lead."""

    DLQ_REPORT_MAIL_TO: Addresses = setting(
        [],
        "addresses that get each day's *What failed, when and why* [by mail](pipeline.md#by-mail), comma"
        " separated",
    )
    DLQ_PUBLIC_URL: Origin = setting(
        "", "where links in mails lead: the console's scheme and host, like `https://dlq.example.org`"
    )
