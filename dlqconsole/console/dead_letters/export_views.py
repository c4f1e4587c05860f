"""Downloads of the list's dead letters."""

from itertools import chain
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import actor, operator_required
from dlqconsole.console.parts.shown_filter import ShownFilter
from dlqconsole.reports import exports


@operator_required
@require_safe
def export(request: HttpRequest, format: str) -> HttpResponseBase:
    """The filter's dead letters as a file. Reads only; each download is audited."""
    if format not in exports.CONTENT_TYPES:
        raise Http404(f"There is no export to {format}.")
    search = ShownFilter.read(request.GET, request, beside=())
    if search.errors:
        return HttpResponse(" ".join(search.errors), status=400, content_type="text/plain; charset=utf-8")
    kind = cast(exports.Format, format)
    if request.method == "HEAD":
        return HttpResponse(headers=headers(kind), content_type=exports.CONTENT_TYPES[kind])
    return download(exports.of_filter(search.criteria, kind, actor(request)))


def download(export: exports.ListExport) -> StreamingHttpResponse:
    """Stream an export. The first chunk comes before the answer begins, so that an error gets a page."""
    chunks = iter(export)
    first = next(chunks, b"")
    stream = _Closing(chain([first], chunks), chunks, export)
    return StreamingHttpResponse(
        stream, headers=headers(export.format), content_type=exports.CONTENT_TYPES[export.format]
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

    def __init__(self, chunks: Any, source: Any, export: exports.ListExport) -> None:
        self._chunks, self._source, self._export = chunks, source, export

    def __iter__(self) -> Any:
        return self._chunks

    def close(self) -> None:
        self._source.close()
        self._export.cut_off()
