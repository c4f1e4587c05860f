# One image for web, worker, ticks, runs, beat, consumer and the Spark pipeline; compose.yaml shows how each is started.
FROM python:3.13-slim AS build
COPY requirements-uv.txt /tmp/
RUN pip install --no-cache-dir --require-hashes -r /tmp/requirements-uv.txt
COPY requirements.txt requirements-spark.txt /tmp/
RUN uv venv /opt/venv \
 && uv pip install --no-cache --compile-bytecode --python /opt/venv/bin/python --require-hashes \
    -r /tmp/requirements.txt -r /tmp/requirements-spark.txt

FROM python:3.13-slim
# Java for Spark, from the distribution, so that its security updates come with the base image.
RUN apt-get update \
 && apt-get install -y --no-install-recommends default-jre-headless \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --create-home --uid 10001 dlqconsole \
 && install -d -o 10001 /data /archive
COPY --from=build /opt/venv /opt/venv
WORKDIR /app
COPY manage.py gunicorn.conf.py ./
COPY dlqconsole dlqconsole
COPY examples examples
COPY templates templates
COPY static static
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYSPARK_PYTHON=/opt/venv/bin/python \
    PYSPARK_DRIVER_PYTHON=/opt/venv/bin/python \
    DLQ_STATIC_ROOT=/app/staticfiles
# The settings want to know their servers even where, as here, none is asked.
RUN DATABASE_URL=postgresql://nobody@127.0.0.1/none SECRET_KEY="$(python -c 'import secrets; print(secrets.token_urlsafe(50))')" \
    python manage.py collectstatic --no-input --verbosity 0
# By number, so that Kubernetes can see that it is not root.
USER 10001
EXPOSE 8000
# For the web; compose.yaml gives the other parts a check of their own or none.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["gunicorn", "dlqconsole.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "4", \
     "--access-logfile", "-", "--logger-class", "dlqconsole.console.monitoring.access_log.AccessLog", \
     "--worker-tmp-dir", "/dev/shm", "--no-control-socket"]
