"""The web of `dlqconsole up`, as gunicorn's settings: one process of threads, beside gunicorn's own."""

workers = 1
threads = 8
# where each process says that it lives: not on a disk
worker_tmp_dir = "/dev/shm"  # noqa: S108 - gunicorn makes a file there that has no name
graceful_timeout = 4
timeout = 60
logger_class = "dlqconsole.console.monitoring.access_log.AccessLog"
# it would be a socket in the home folder, shared by all that this person runs
control_socket_disable = True
