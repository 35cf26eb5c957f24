"""Uploading a file of queries, documents or judgments; the preview follows (uploads.py)."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from judgments.files.actions.uploads import UploadQuotaError, keep_upload
from judgments.files.forms import FileForm
from judgments.files.reports.imports import READABLE
from judgments.files.reports.undoing import MOST_SHOWN, latest_batches
from judgments.models import JudgmentList, Purpose, QuerySet, Upload
from judgments.pages.archive_guard import to_change
from judgments.pages.errors import too_large
from judgments.pages.fetching import administered_list, administered_query_set
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import list_trail, query_set_trail
from touchstone_core.formats.file_format import by_label


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def queries(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = administered_query_set(request, pk)
    return _upload(request, query_set, Purpose.QUERIES)


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def documents(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = administered_query_set(request, pk)
    return _upload(request, query_set, Purpose.DOCUMENTS)


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def judgments(request: MemberRequest, pk: int) -> HttpResponse:
    judgment_list = administered_list(request, pk)
    return _upload(request, judgment_list.query_set, Purpose.JUDGMENTS, judgment_list)


def _upload(
    request: MemberRequest, query_set: QuerySet, purpose: Purpose, judgment_list: JudgmentList | None = None
) -> HttpResponse:
    form = FileForm(request.POST, request.FILES) if request.method == "POST" else FileForm()
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        if file.size > settings.UPLOAD_LIMIT:
            return too_large(request, f"{file.name} is too large. Nothing was stored.")
        try:
            upload = keep_upload(
                query_set=query_set,
                user=request.user,
                purpose=purpose,
                file=file,
                judgment_list=judgment_list,
            )
        except UploadQuotaError as error:
            form.add_error("file", str(error))
        else:
            return redirect("upload", upload.pk)
    if judgment_list:
        back, trail = reverse("list", args=[judgment_list.pk]), list_trail(judgment_list, "Import")
    else:
        back = reverse(f"query-set-{purpose.value}", args=[query_set.pk])
        trail = query_set_trail(query_set, (purpose.label, back), "Import")
    under_way = Upload.objects.importable_by(request.user).exclude(requested_at=None)
    context = {
        "form": form,
        "under_way": under_way.filter(query_set=query_set, purpose=purpose, judgment_list=judgment_list),
        "purpose": purpose.value,
        "query_set": query_set,
        "judgment_list": judgment_list,
        "formats": by_label(READABLE[purpose]),
        "grades": list(judgment_list.scale.grades.all()) if judgment_list else [],
        "role": "admin",
        "tab": "import",
        "back": back,
        "limit": settings.UPLOAD_LIMIT,
        "trail": trail,
        "most_batches": MOST_SHOWN,
        "batches": latest_batches(judgment_list) if judgment_list else [],
    }
    return form_page(request, "judgments/files/import.html", context, form.errors)
