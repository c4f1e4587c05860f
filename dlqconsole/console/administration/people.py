"""Accounts and roles in Django's admin: nobody grants, or takes over, more rights than they have."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth import admin as auth_admin
from django.contrib.auth.models import Group, Permission, User
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from dlqconsole.console.administration.parameters import StrictListAdmin
from dlqconsole.console.administration.scopes import Scopes, report_size
from dlqconsole.engine.access_scope import current_access
from dlqconsole.people.models import Scope

if TYPE_CHECKING:
    _UserAdmin = auth_admin.UserAdmin[User]
else:
    _UserAdmin = auth_admin.UserAdmin


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
