from django.urls import path

from dlqconsole.console.rules import views

urlpatterns = [
    path("rules/", views.rules, name="rules"),
    path("rules/new", views.new, name="rule_new"),
    path("rules/<id:rule_id>/", views.rule, name="rule"),
    path("rules/<id:rule_id>/switch/", views.switch, name="rule_switch"),
    path("rules/<id:rule_id>/deletion/", views.delete, name="rule_delete"),
    path("rules/<id:rule_id>/place/", views.move, name="rule_move"),
]
