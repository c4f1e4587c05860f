from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from dlqconsole.console.views import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
]
