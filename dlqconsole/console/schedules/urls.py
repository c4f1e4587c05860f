from django.urls import path

from dlqconsole.console.schedules import action_views, breaker_views, policy_views, views

urlpatterns = [
    path("schedules/", views.schedules, name="schedules"),
    path("schedules/run/", action_views.run_now, name="schedule_run"),
    path("schedules/pause/", action_views.pause, name="schedule_pause"),
    path("schedules/resume/", action_views.resume, name="schedule_resume"),
    path("schedules/breakers/hold/", breaker_views.hold, name="breaker_hold"),
    path("schedules/breakers/resume/", breaker_views.resume, name="breaker_resume"),
    path("schedules/lock/", action_views.take_over, name="schedule_take_over"),
    path("schedules/policies/new", policy_views.new, name="policy_new"),
    path("schedules/policies/<id:policy_id>/", policy_views.policy, name="policy"),
    path("schedules/policies/<id:policy_id>/deletion/", policy_views.delete, name="policy_delete"),
]
