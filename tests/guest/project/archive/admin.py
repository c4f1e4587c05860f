from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from tests.guest.project.archive.models import Clerk


@admin.register(Clerk)
class ClerkAdmin(UserAdmin):
    ordering = list_display = ("login",)
    search_fields = ("login",)
    fieldsets = ((None, {"fields": ("login", "password", "groups")}),)
    add_fieldsets = ((None, {"fields": ("login", "password1", "password2")}),)
