"""Downloads of what the list shows."""

from itertools import chain
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import actor, operator_required
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.parts.shown_filter import ShownFilter
from dlqconsole.reports import exports


@operator_required
@require_safe
def export(request: HttpRequest, format: str) -> HttpResponseBase:
    """The filter's dead letters as a file. Reads only; the audit log keeps who took what."""
    if format not in exports.CONTENT_TYPES:
        raise Http404(f"There is no export to {format}.")
    shown = ShownFilter.read(request.GET, request, beside=())
    if shown.errors:
        return HttpResponse(" ".join(shown.errors), status=400, content_type="text/plain; charset=utf-8")
    chosen = cast(exports.Format, format)
    if request.method == "HEAD":
        return HttpResponse(headers=headers(chosen), content_type=exports.CONTENT_TYPES[chosen])
    return download(exports.of_filter(shown.parsed, chosen, actor(request), reach_of(request)))


def download(wanted: exports.ListExport) -> StreamingHttpResponse:
    """Stream an export. The first chunk is made before the answer begins: an error can still be told."""
    chunks = iter(wanted)
    first = next(chunks, b"")
    stream = _Closing(chain([first], chunks), chunks, wanted)
    return StreamingHttpResponse(
        stream, headers=headers(wanted.format), content_type=exports.CONTENT_TYPES[wanted.format]
    )


def headers(format: exports.Format) -> dict[str, str]:
    return {
        "Content-Disposition": f'attachment; filename="{exports.file_name(format)}"',
        "Cache-Control": "no-store",
        "Content-Security-Policy": "sandbox",
        "X-Content-Type-Options": "nosniff",
    }


class _Closing:
    """An iterator that ends the query when the client goes away."""

    def __init__(self, chunks: Any, source: Any, wanted: exports.ListExport) -> None:
        self._chunks, self._source, self._wanted = chunks, source, wanted

    def __iter__(self) -> Any:
        return self._chunks

    def close(self) -> None:
        self._source.close()
        self._wanted.cut_off()
