"""Pages of scales: presets and own ones."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from judgments.base.digits import written
from judgments.base.errors import ChangedSinceError, JudgmentsError
from judgments.base.keys import key_in
from judgments.content.views.edit_conflicts import both_versions, untouched
from judgments.content.views.query_sets import staff_only
from judgments.lists.actions import scales as actions
from judgments.lists.forms.scales import BaseGradeFormSet, ScaleForm, grade_formset
from judgments.models import Level, QuerySet, Scale, changing
from judgments.pages.archive_guard import to_change
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import Step, trail


@require_safe
def scales(request: MemberRequest) -> HttpResponse:
    staff_only(request)
    visible = Scale.objects.visible_to(request.user).with_grades().select_related("query_set")
    context = {
        "presets": [scale for scale in visible if scale.query_set is None],
        "own": [scale for scale in visible if scale.query_set],
        "may_create": QuerySet.objects.administered_by(request.user).at_work().exists(),
    }
    return render(request, "judgments/lists/scales.html", context)


@require_safe
def scale_page(request: MemberRequest, pk: int) -> HttpResponse:
    staff_only(request)
    visible = Scale.objects.visible_to(request.user).with_grades().select_related("query_set")
    scale = get_object_or_404(visible, pk=pk)
    with changing(True):
        editable = Scale.objects.editable_by(request.user).filter(pk=pk).exists()
    context = {
        "scale": scale,
        "in_use": actions.in_use(scale),
        "editable": editable,
        "trail": trail(("Scales", reverse("scales")), scale.name),
    }
    return render(request, "judgments/lists/scale.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: MemberRequest) -> HttpResponse:
    mine = QuerySet.objects.administered_by(request.user).at_work()
    if not mine.exists():
        raise Http404
    data = request.POST or None
    form = ScaleForm(data, query_sets=mine, initial={"query_set": request.GET.get("query_set")})
    grades = grade_formset(data)
    if request.method == "POST" and "add" in request.POST:
        form = ScaleForm(query_sets=mine, initial=request.POST.dict())
        return _form_page(request, form, _with_another_row(request.POST), None)
    if request.method == "POST" and form.is_valid() and grades.is_valid():
        try:
            scale = actions.create_scale(**form.cleaned_data, grades=grades.specs)
        except JudgmentsError as error:
            _add_error(form, error)
        else:
            messages.success(request, f"Created {scale}.")
            return redirect("scale", scale.pk)
    return _form_page(request, form, grades, None)


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def edit(request: MemberRequest, pk: int) -> HttpResponse:
    scale = get_object_or_404(Scale.objects.editable_by(request.user).with_grades(), pk=pk, continuous=False)
    in_use = actions.in_use(scale)
    form, grades = _forms(scale, request.POST or None, in_use=in_use)
    if request.method == "POST" and "add" in request.POST and not in_use:
        form = ScaleForm(scale=scale, initial=request.POST.dict())
        return _form_page(request, form, _with_another_row(request.POST), scale)
    if request.method == "POST" and form.is_valid() and grades.is_valid():
        try:
            actions.change_scale(
                scale=scale, **form.cleaned_data, grades=grades.specs, seen_mark=request.POST.get("seen")
            )
        except ChangedSinceError as error:
            return _form_page(request, form, grades, scale, in_use=in_use, conflict=error)
        except JudgmentsError as error:
            _add_error(form, error)
        else:
            messages.success(request, "Saved.")
            return redirect("scale", pk)
    return _form_page(request, form, grades, scale, in_use=in_use)


def _forms(scale: Scale, data: QueryDict | None, *, in_use: bool) -> tuple[ScaleForm, BaseGradeFormSet]:
    initial = {name: getattr(scale, name) for name in ("name", "description", "level")}
    form = ScaleForm(data, scale=scale, initial=initial | {"threshold": written(scale.threshold)})
    return form, grade_formset(data, scale=scale, in_use=in_use)


def _add_error(form: ScaleForm, error: JudgmentsError) -> None:
    form.add_error("threshold" if isinstance(error, actions.ThresholdError) else None, str(error))


def _form_page(
    request: MemberRequest,
    form: ScaleForm,
    grades: BaseGradeFormSet,
    scale: Scale | None,
    *,
    in_use: bool = False,
    conflict: ChangedSinceError | None = None,
) -> HttpResponse:
    adding = "add" in request.POST
    invalid = request.method == "POST" and not adding
    own: list[Step] = [(scale.name, reverse("scale", args=[scale.pk])), "Change"] if scale else ["New scale"]
    context: dict[str, Any] = {
        "form": form,
        "grades": grades,
        "scale": scale,
        "in_use": in_use,
        "adding": adding,
        "trail": trail(("Scales", reverse("scales")), *own),
    }
    if scale is not None:
        now = actions.scale_in_words(conflict.current if conflict else scale)
        input_, fresh = None, None
        if conflict:
            input_ = _input_in_words(form, grades)
            fresh, fresh_grades = _forms(conflict.current, None, in_use=in_use)
            if "grades" in untouched(request, now, input_):
                context["grades"] = fresh_grades
        context |= both_versions(request, form, now, conflict, input_, fresh)
    return form_page(request, "judgments/lists/scale_form.html", context, invalid)


def _input_in_words(form: ScaleForm, grades: BaseGradeFormSet) -> dict[str, Any]:
    """The input of a valid form, in the words of `scale_in_words`."""
    data = form.cleaned_data
    levels = [
        actions.grade_in_words(one, one.worth) for one in sorted(grades.specs, key=lambda one: one.value)
    ]
    label = Level(data["level"]).label
    plain = {name: data[name] for name in ("name", "description", "threshold")}
    return plain | {"level": str(label), "grades": levels}


def _with_another_row(data: QueryDict) -> BaseGradeFormSet:
    """The same input with one more row, for “Add a grade” without JavaScript."""
    more = data.dict()
    total = key_in(data.get("grades-TOTAL_FORMS")) or 0
    more["grades-TOTAL_FORMS"] = str(min(101, total + 1))
    return grade_formset(more)
