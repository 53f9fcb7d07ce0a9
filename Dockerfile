FROM python:3.11-slim AS build
WORKDIR /build
COPY requirements.lock pyproject.toml README.md ./
COPY service service
RUN python -m venv /opt/zhangfang \
 && /opt/zhangfang/bin/pip install --no-cache-dir --constraint requirements.lock .

FROM python:3.11-slim
RUN useradd --system --uid 10001 --home-dir /var/lib/zhangfang --create-home zhangfang
COPY --from=build /opt/zhangfang /opt/zhangfang
ENV PATH=/opt/zhangfang/bin:$PATH \
    ZHANGFANG_DATABASE_URL=sqlite:////var/lib/zhangfang/zhangfang.db \
    ZHANGFANG_HOST=0.0.0.0 \
    ZHANGFANG_LOG_FORMAT=json
USER zhangfang
WORKDIR /var/lib/zhangfang
VOLUME /var/lib/zhangfang
EXPOSE 50051 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["zhangfang", "health", "--timeout", "3"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["zhangfang"]
CMD ["serve"]
