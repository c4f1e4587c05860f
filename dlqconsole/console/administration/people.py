"""Accounts, roles and their scopes in the admin: nobody grants, or takes over, more rights than they have."""

import re
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.auth import admin as auth_admin
from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from dlqconsole.console.administration.parameters import StrictListAdmin
from dlqconsole.engine.access_scope import AccessScope, asking_as, current_access
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.people.models import PATTERN, Scope
from dlqconsole.processing.inputs.plain_text import quoted

# the heading over the lines
ABOUT = "Scopes: none means not limited. A name, the beginning of one (orders.*), or * for all"
NOTHING = "Nothing is there now that lies within {words}. Is it spelt right?"
RULE = (
    "{what} must be a name (orders), the beginning of one with a star behind it (orders.*), or * alone for"
    " all; it is {given}."
)
NUMBER = "{number} dead letters lie within {words} now."

if TYPE_CHECKING:
    _UserAdmin = auth_admin.UserAdmin[User]
    _Inline = admin.TabularInline[Scope, Any]
    _Form = ModelForm[Scope]
else:
    _UserAdmin, _Inline, _Form = auth_admin.UserAdmin, admin.TabularInline, ModelForm


class ScopeAdminForm(_Form):
    """A form of one scope. A star stands at the end of a pattern, or alone."""

    class Meta:
        model = Scope
        fields = ("queue", "event_type")

    def clean_queue(self) -> str:
        return self._pattern("queue", "The queue")

    def clean_event_type(self) -> str:
        return self._pattern("event_type", "The event type")

    def _pattern(self, name: str, what: str) -> str:
        """Return the pattern. Raises ValidationError beside the field; the table's own check names none."""
        pattern: str = self.cleaned_data[name]
        if not re.fullmatch(PATTERN, pattern):
            raise ValidationError(RULE.format(what=what, given=quoted(pattern)), code="invalid")
        return pattern


class Scopes(_Inline):
    """The scopes, one a line, each with the number of dead letters in it."""

    model = Scope
    form = ScopeAdminForm
    extra = 0
    verbose_name_plural = ABOUT
    readonly_fields = ("dead_letters",)

    @admin.display(description="dead letters now")
    def dead_letters(self, scope: Scope) -> str:
        return _number(scope) if scope.pk else ""


def report_size(request: HttpRequest, scope: Scope) -> None:
    """Tell how much lies within a new scope: a name may be mistyped."""
    number, words = _number(scope), _access_of(scope).words()
    if number == "0":
        messages.warning(request, NOTHING.format(words=words))
    else:
        messages.info(request, NUMBER.format(number=number, words=words))


def _number(scope: Scope) -> str:
    with asking_as(_access_of(scope)):
        return str(summaries.count_matching(DeadLetterFilter()))


def _access_of(scope: Scope) -> AccessScope:
    return AccessScope.of([(scope.queue, scope.event_type)])


class UnscopedAdmin(StrictListAdmin):
    """An admin for people without a scope: a person who changes accounts could widen their own scope."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return _is_unlimited() and super().has_module_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return _is_unlimited() and super().has_view_permission(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _is_unlimited() and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return _is_unlimited() and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return _is_unlimited() and super().has_delete_permission(request, obj)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Save the scopes, and tell how much lies within each."""
        super().save_formset(request, form, formset, change)
        if formset.model is Scope:
            for scope in [*formset.new_objects, *(scope for scope, _fields in formset.changed_objects)]:
                report_size(request, scope)


# of Django's own, which the import above has registered
admin.site.unregister([User, Group])


@admin.register(User)
class PeopleAdmin(UnscopedAdmin, _UserAdmin):
    """Django's own. Only superusers make superusers, grant single rights or edit people with more rights."""

    inlines = (Scopes,)
    # Django's double list has a label that no screen reader may read; a list of a few roles needs no filter
    filter_horizontal = ()

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return fields if _is_superuser(request) else (*fields, "is_superuser", "user_permissions")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Tell whether the person may edit the account; Django asks before a new password, too."""
        return super().has_change_permission(request, obj) and _may_edit(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return super().has_delete_permission(request, obj) and _may_edit(request, obj)

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:
        if db_field.name == "groups" and not _is_superuser(request):
            kwargs["queryset"] = _groups_within(request.user)
        return super().formfield_for_manytomany(db_field, request, **kwargs)


@admin.register(Group)
class RolesAdmin(UnscopedAdmin, auth_admin.GroupAdmin):
    """The permissions of a role, for superusers to change."""

    # without it, the list offers to order by its one column, and cannot
    list_display = ("name",)
    inlines = (Scopes,)
    filter_horizontal = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return _is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return _is_superuser(request)


def _is_unlimited() -> bool:
    return not current_access().is_limited


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


def _may_edit(request: HttpRequest, account: Any) -> bool:
    """Tell whether the account has no right that the person lacks; an editor could become that account."""
    if account is None or _is_superuser(request):
        return True
    return not account.is_superuser and _rights(account) <= _rights(request.user)


def _groups_within(person: Any) -> QuerySet[Group]:
    beyond = Permission.objects.exclude(pk__in=_rights(person))
    return Group.objects.exclude(permissions__in=beyond)


def _rights(account: Any) -> set[int]:
    """The permissions of an account, also of one that is not active now."""
    own = Permission.objects.filter(Q(user=account) | Q(group__user=account))
    return set(own.values_list("pk", flat=True))
