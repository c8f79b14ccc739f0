# newscorpus in a container: docker build -t newscorpus . ; docker run -v "$PWD:/corpora" newscorpus crawl NAME
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/newscorpus \
    && /opt/newscorpus/bin/pip install --no-cache-dir -r requirements.txt \
    && /opt/newscorpus/bin/pip install --no-cache-dir --no-deps .

FROM python:3.13-slim
COPY --from=build /opt/newscorpus /opt/newscorpus
ENV PATH=/opt/newscorpus/bin:$PATH
RUN useradd --create-home --uid 1000 crawler && install -d -o crawler /corpora
USER crawler
# Settings, portal files and corpora lie here, outside the container.
VOLUME /corpora
WORKDIR /corpora
ENTRYPOINT ["newscorpus"]
CMD ["--help"]
