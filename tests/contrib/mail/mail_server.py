"""A real mail server on this machine, which keeps what it takes and refuses what a test wants it to."""

import email
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import policy
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from dlqconsole.running.ports import LOOPBACK, free_port


class MailServer:
    """``mails``: what it has taken. ``refusals``: by address, its next answers to that recipient.

    ``once_taken``: what happens when it has taken the next mail, before it answers.
    """

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.refusals: dict[str, list[str]] = {}
        self.once_taken: Callable[[], object] | None = None
        self.port = free_port()

    async def handle_RCPT(self, _server, _session, envelope, address, _options) -> str:  # noqa: N802
        if answers := self.refusals.get(address):
            return answers.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server, _session, envelope) -> str:  # noqa: N802
        mail = email.message_from_bytes(envelope.content, policy=policy.default)
        mail["X-Recipients"] = ",".join(envelope.rcpt_tos)
        self.mails.append(mail)
        if self.once_taken:
            self.once_taken()
        return "250 OK"

    def recipients(self) -> list[str]:
        return sorted(mail["X-Recipients"] for mail in self.mails)

    @contextmanager
    def serving(self, **options: Any) -> Iterator["MailServer"]:
        controller = Controller(self, hostname=LOOPBACK, port=self.port, **options)
        controller.start()
        try:
            yield self
        finally:
            controller.stop()


def part(mail: EmailMessage, kind: str) -> str:
    """The text of a mail's part: text/plain, text/html or text/csv."""
    (one,) = [each for each in mail.walk() if each.get_content_type() == kind]
    return one.get_content()


def locked(name: str, password: str, certificate: Path) -> dict[str, Any]:
    """Options of a server that wants STARTTLS, then this account."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)

    def check(_server, _session, _envelope, _mechanism, given) -> AuthResult:
        is_right = (given.login, given.password) == (name.encode(), password.encode())
        return AuthResult(success=is_right, handled=False)

    return {
        "tls_context": context,
        "require_starttls": True,
        "auth_required": True,
        "authenticator": check,
    }


def make_certificate(folder: Path) -> Path:
    """A file with a key and its certificate for 127.0.0.1, which vouches for itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mail")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(LOOPBACK))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "certificate.pem"
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, *plain)
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return file
