"""A file as an answer, whole or from a byte on: a download that broke off goes on where it was."""

import re
from collections.abc import Callable, Iterator

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

# one range; of several the answer is the whole file
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def file_headers(name: str) -> dict[str, str]:
    """The headers of a file that no browser opens and no cache keeps."""
    return {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "no-store",
        "Content-Security-Policy": "sandbox",
        "X-Content-Type-Options": "nosniff",
    }


def asked_range(request: HttpRequest, size: int, tag: str) -> range | None:
    """The bytes that a request asks for; empty if they are not there, None for the whole file.

    ``tag``: the file's mark. Who has a part of another file gets this one whole.
    """
    match = _RANGE.fullmatch(request.headers.get("Range", ""))
    if match is None or match.group(0) == "bytes=-" or request.headers.get("If-Range", tag) != tag:
        return None
    first, last = match.groups()
    if not first:
        return range(max(size - int(last), 0), size)
    end = min(int(last) + 1, size) if last else size
    return None if last and int(last) < int(first) else range(int(first), end)


def download(
    request: HttpRequest,
    headers: dict[str, str],
    content_type: str,
    size: int,
    tag: str,
    content: Callable[[int, int], Iterator[bytes]],
) -> HttpResponseBase:
    """Answer with the file, or the asked part of it. ``content``: its bytes from the first to the last."""
    part = asked_range(request, size, tag)
    headers = headers | {"Accept-Ranges": "bytes", "ETag": tag}
    if part is not None and not part:
        return HttpResponse(status=416, headers=headers | {"Content-Range": f"bytes */{size}"})
    first, end = (part.start, part.stop) if part else (0, size)
    headers |= {"Content-Length": str(end - first)}
    if part:
        headers |= {"Content-Range": f"bytes {first}-{end - 1}/{size}"}
    status = 206 if part else 200
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers, content_type=content_type)
    whole = content(first, end - 1) if size else iter([b""])
    return StreamingHttpResponse(whole, status=status, headers=headers, content_type=content_type)
