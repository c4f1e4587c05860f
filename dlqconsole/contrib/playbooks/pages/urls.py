from django.urls import path

from dlqconsole.contrib.playbooks.pages import views

urlpatterns = [
    path("playbooks/", views.playbooks, name="playbooks"),
    path("playbooks/new", views.new, name="playbook_new"),
    path("playbooks/<id:playbook_id>/", views.playbook, name="playbook"),
    path("playbooks/<id:playbook_id>/edit/", views.edit, name="playbook_edit"),
    path("playbooks/<id:playbook_id>/switch/", views.switch, name="playbook_switch"),
    path("playbooks/<id:playbook_id>/look/", views.go_on, name="playbook_look"),
    path("playbooks/<id:playbook_id>/deletion/", views.delete, name="playbook_delete"),
]
