"""The keys of JSON, headers and ``key=value`` text that hold personal data or secrets.

A key is taken apart into words (``customerEmail``, ``customer_email`` and ``customer-email`` are the words
customer and email). It is masked when one of the words, or two or three neighbours together, are listed
below, unless it ends with a word that says it holds something harmless (``email_verified``, ``card_type``).
``DLQ_MASKED_KEYS`` adds to the list; an addition counts whatever the key ends with.
"""

import re
from functools import lru_cache

# the kind that the placeholder names: the words, or neighbours written together, that stand for it
KINDS: dict[str, str] = {
    "password": "password passwd passwort pwd passphrase passcode pincode pinnumber otp pin pass"
    " userpass dbpass passe motdepasse senha kennwort wachtwoord salasana contrasena",
    "secret": "secret clientsecret apikey accesskey secretkey privatekey signingkey encryptionkey credential"
    " credentials signature",
    "token": "token jwt accesstoken refreshtoken idtoken sessionid sessionkey csrf xsrf",
    "authorization": "authorization authorisation proxyauthorization",
    "cookie": "cookie cookies setcookie",
    "card": "card cardnumber cardno creditcard debitcard pan cvv cvc cvv2 cardholder",
    "iban": "iban bic swift bankaccount accountnumber accountno routingnumber sortcode",
    "national id": "ssn socialsecurity socialsecuritynumber nationalid nationalidnumber taxid taxnumber tin"
    " passport passportnumber passportno idcard idnumber drivinglicence driverslicense licencenumber"
    " nationalinsurance nino pesel cpf curp aadhaar dni codicefiscale fiscalcode personnummer"
    " socialinsurance hetu bsn steuerid rijksregister numerosecu tckimlik egn oib cnp",
    "email": "email emailaddress mail mailaddress emails",
    "phone": "phone phones phonenumber phoneno telephone tel mobile mobilephone mobilenumber cell cellphone"
    " fax msisdn",
    "address": "address addresses streetaddress street postcode postalcode zipcode zip addressline",
    "name": "firstname lastname namefirst namelast fullname surname givenname familyname middlename"
    " maidenname customername username personname contactname recipientname patientname passengername"
    " displayname holdername",
    "birth date": "birthdate birthday dateofbirth dob birth",
}
# words that no space or capital separates, also within a longer word ("userpassword")
_WITHIN = ("password", "passwd", "apikey", "accesstoken", "refreshtoken", "emailaddress", "phonenumber",
           "cardnumber", "creditcard", "clientsecret", "privatekey", "accesskey")  # fmt: skip
_OTHER_WRITING = {
    "contraseña": "password", "пароль": "password", "lösenord": "password", "hasło": "password",
    "密码": "password", "口令": "password", "令牌": "token", "手机": "phone", "电话": "phone",
    "邮箱": "email", "姓名": "name", "身份证": "national id", "地址": "address", "住址": "address",
    "银行卡": "card",
    "生日": "birth date",
}  # fmt: skip
# a key that ends with one of these says something about the datum, and is not it
_HARMLESS_END = frozenset((
    "at", "by", "count", "enabled", "exists", "expired", "error", "exception", "expires",
    "failure", "file", "format", "id", "ids", "kind", "length",
    "limit", "max", "min", "mode", "present", "provider", "required", "size", "state", "status", "ttl",
    "type", "valid", "verified", "version",
))  # fmt: skip
# the address of a machine
_MACHINES = frozenset((
    "bind", "broker", "cluster", "host", "hw", "ip", "listen", "mac", "memory", "network", "node", "remote",
    "server",
))  # fmt: skip

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LONGEST_KEY = 200
_KIND_OF = {word: kind for kind, words in KINDS.items() for word in words.split()}


class MaskedKeys:
    """Answers for a key what kind of thing it holds; ``more`` are the team's own."""

    def __init__(self, more: tuple[str, ...] = ()) -> None:
        self.more = {letters for word in more if (letters := _join(word))}
        self.kind = lru_cache(maxsize=8192)(self._kind)

    def hints(self) -> tuple[str, ...]:
        """Small pieces: a lower-case text without any of them holds no masked key."""
        return (*_HINTS, *_OTHER_WRITING, *(word[:4] for word in self.more))

    def _kind(self, key: str) -> str:
        """The kind that a placeholder names; empty for a key that may be shown."""
        if len(key) > _LONGEST_KEY:
            key = key[-_LONGEST_KEY:]
        if self.more and _join(key) in self.more:
            return "masked"
        words = [word.lower() for word in _WORD.findall(key)]
        if self.more.intersection(_neighbours(words)):
            return "masked"
        lower = key.lower()
        for piece, kind in _OTHER_WRITING.items():
            if piece in lower:
                return kind
        return "" if not words or _harmless(words) else _kind_of_words(words)


def _kind_of_words(words: list[str]) -> str:
    for piece in _neighbours(words):
        if kind := _KIND_OF.get(piece):
            return kind
    text = "".join(words)
    return next((_KIND_OF[piece] for piece in _WITHIN if piece in text), "")


def _harmless(words: list[str]) -> bool:
    if len(words) > 1 and words[-1] == "address" and words[-2] in _MACHINES:
        return True
    # "national_id" and "session_id" are listed with their end
    ends = ("".join(words[-2:]), "".join(words[-3:]))
    return len(words) > 1 and words[-1] in _HARMLESS_END and not any(end in _KIND_OF for end in ends)


def _neighbours(words: list[str]) -> list[str]:
    """One, two and three words written together."""
    return ["".join(words[i : i + n]) for n in (1, 2, 3) for i in range(len(words) - n + 1)]


def _join(word: str) -> str:
    return "".join(character for character in word.lower() if character.isalnum())


_HINTS = (
    "pass", "senha", "kennwort", "wachtwoord", "salasana", "contrasena",
    "pwd", "pin", "otp", "secret", "key", "credential", "signature", "token", "jwt", "session",
    "csrf", "xsrf", "authori", "cookie", "card", "pan", "cv", "iban", "bic", "swift", "account",
    "routing", "sort", "ssn", "social", "national", "tax", "tin", "id", "licen", "mail", "phone", "tel",
    "mobile", "cell", "fax", "msisdn", "address", "street", "post", "zip", "name", "birth", "dob",
    "insurance", "nino", "pesel", "cpf", "curp", "aadhaar", "dni", "fiscal", "person", "hetu", "bsn",
    "steuer", "rijks", "secu", "kimlik", "egn", "oib", "cnp",
)  # fmt: skip
