"""The downloads of a receipt: an export's file, and the result of each item."""

from collections.abc import Iterator

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dlqconsole.console import errors
from dlqconsole.console.access.permissions import actor, require, role_of, viewer_required
from dlqconsole.console.parts.downloads import download, file_headers
from dlqconsole.engine import audit
from dlqconsole.engine.access_scope import asking_as
from dlqconsole.operations import kinds, visibility
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages import exporting
from dlqconsole.operations.pages.exporting import ExportFile
from dlqconsole.operations.receipts import files
from dlqconsole.people.names import named
from dlqconsole.processing.formats import FORMATS


@viewer_required
@require_safe
def export_file(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """An export's file, for its requester and for administrators. Each download is audited."""
    operation = _get(operation_id)
    if not kinds.shown(operation.kind).has_file:
        raise Http404(
            _("Operation {operation_id} is no export: it has no file.").format(operation_id=operation_id)
        )
    require(request, kinds.shown(operation.kind).file_role)
    if operation.actor != actor(request) and role_of(request) != "admin":
        raise PermissionDenied(
            _("Only {actor}, who asked for this export, or an admin may take its file.").format(
                actor=named(operation.actor)
            )
        )
    file = files.export_file(operation)
    if file is None:
        return errors.sentence(
            _("Operation {operation_id} is {status}: only a completed export has a file.").format(
                operation_id=operation_id, status=operation.status
            ),
            409,
        )
    if file.deleted_at:
        return errors.sentence(
            _(
                "The file of operation {operation_id} was deleted on {deleted_at:%Y-%m-%d}. Export again."
            ).format(operation_id=operation_id, deleted_at=file.deleted_at),
            410,
        )
    if request.method != "HEAD":
        _note_download(request, operation, file)
    format = FORMATS[operation.result["format"]]
    return download(
        request,
        file_headers(file.name),
        file.content_type,
        file.size,
        f'"{file.sha256}"',
        lambda first, last: _whole(operation_id, format.is_packed, first, last),
    )


def _note_download(request: HttpRequest, operation: Operation, file: ExportFile) -> None:
    detail = {"rows": file.rows, "bytes": file.size, "sha256": file.sha256, "masked": file.is_masked}
    if asked := request.headers.get("Range", ""):
        detail["range"] = asked[:100]
    audit.record(
        actor(request),
        "download export",
        f"operation:{operation.pk}",
        reason=operation.reason,
        operation_id=operation.pk,
        detail=detail,
    )


@viewer_required
@require_safe
def items(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """The receipt's items as CSV."""
    operation = _get(operation_id)
    if operation.has_file:
        raise Http404(
            _("Operation {operation_id} is an export: its rows are in its file.").format(
                operation_id=operation_id
            )
        )
    if not operation.has_items:
        return errors.sentence(
            _("The items of operation {operation_id} were kept long enough, and are gone.").format(
                operation_id=operation_id
            ),
            410,
        )
    of = kinds.shown(operation.kind).items
    kind = "text/csv; charset=utf-8; header=present"
    headers = file_headers(files.items_name(operation_id))
    if request.method == "HEAD":
        return HttpResponse(headers=headers, content_type=kind)
    audit.record(actor(request), "download receipt", f"operation:{operation_id}", operation_id=operation_id)
    with asking_as(visibility.within(operation)):
        rows = files.items_csv(operation_id, of)
    return StreamingHttpResponse(rows, headers=headers, content_type=kind)


def _get(operation_id: int) -> Operation:
    rows = visibility.with_visible_numbers(visibility.operations().filter(pk=operation_id))
    if not rows:
        raise Http404(_("There is no operation {operation_id}.").format(operation_id=operation_id))
    return rows[0]


def _whole(operation_id: int, is_packed: bool, first: int, last: int) -> Iterator[bytes]:
    """The file's bytes. A file that is deleted meanwhile breaks the download off: half a file is no file."""
    length = 0
    for content in exporting.content(operation_id, is_packed, first, last):
        length += len(content)
        yield content
    if length != last + 1 - first:
        raise RuntimeError(
            f"the file of operation {operation_id} ended after {length:,} of {last + 1 - first:,} bytes"
        )
