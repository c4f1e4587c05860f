"""The declaration of the report by mail: the places where it plugs in."""

from dlqconsole.features import Feature, Tick

_HERE = "dlqconsole.contrib.mail"

FEATURE = Feature(
    name="mail",
    cards={"what failed": f"{_HERE}.cards.on_report"},
    audit_words=f"{_HERE}.cards.WORDS",
    # a slow mail server holds up no quick tick
    ticks=(Tick("mail the report", "mail.report", f"{_HERE}.sending.send_due", 30.0, is_quick=False),),
)
