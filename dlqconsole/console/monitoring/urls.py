from django.urls import path

from dlqconsole.console.monitoring import health_views, metrics_views

urlpatterns = [
    path("metrics", metrics_views.metrics, name="metrics"),
    path("healthz", health_views.healthz, name="healthz"),
    path("readyz", health_views.readyz, name="readyz"),
]
