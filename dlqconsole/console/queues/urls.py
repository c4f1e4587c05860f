from django.urls import path

from dlqconsole.console.queues import action_views, detail_views, list_views, message_views

urlpatterns = [
    path("queues/", list_views.queues, name="queues"),
    path("queues/new", list_views.new, name="queue_new"),
    path("queues/<queue:name>/", detail_views.queue, name="queue"),
    path("queues/<queue:name>/archive/", detail_views.archive, name="queue_archive"),
    path("queues/<queue:name>/messages/", message_views.messages, name="queue_messages"),
    path("queues/<queue:name>/messages/<id:number>/", message_views.message, name="queue_message"),
    path("queues/<queue:name>/messages/<id:number>/raw", message_views.raw, name="queue_message_raw"),
    path("queues/<queue:name>/messages/<id:number>/due/", message_views.make_due, name="queue_message_due"),
    path(
        "queues/<queue:name>/messages/<id:number>/delete/", message_views.delete, name="queue_message_delete"
    ),
    path("queues/<queue:name>/policy/", action_views.policy, name="queue_policy"),
    path("queues/<queue:name>/pause/", action_views.pause, name="queue_pause"),
    path("queues/<queue:name>/resume/", action_views.resume, name="queue_resume"),
    path("queues/<queue:name>/purge/", action_views.purge, name="queue_purge"),
    path("queues/<queue:name>/drop/", action_views.drop, name="queue_drop"),
]
