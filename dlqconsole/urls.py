"""The console's addresses, for a project's ``include("dlqconsole.urls")``."""

from dlqconsole.console import urls
from dlqconsole.console.serving import served

app_name = "dlq"
urlpatterns = served(urls.urlpatterns)
