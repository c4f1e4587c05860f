from django.urls import path

from dlqconsole.console.tokens import views

urlpatterns = [
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<id:token_id>/revocation/", views.revocation, name="token_revoke"),
]
