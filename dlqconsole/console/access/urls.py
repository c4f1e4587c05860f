from django.contrib.auth.views import LogoutView
from django.urls import path

from dlqconsole.console.access import sign_in_views

urlpatterns = [
    path("login/", sign_in_views.SignInView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
]
