from django.urls import path

from dlqconsole.console.revealing import views

urlpatterns = [
    path("dead-letters/<id:letter_id>/revelations/", views.dead_letter, name="dead_letter_reveal"),
    path(
        "queues/<queue:name>/messages/<id:number>/revelations/",
        views.message,
        name="queue_message_reveal",
    ),
]
