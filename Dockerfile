# To build the image: docker build --tag job-marketplace . (with Podman, --format docker keeps the HEALTHCHECK)
# The container runs as an unprivileged user and writes only to /data, so its root file system can be read-only.
FROM node:26-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
# Omits the optional packages, which contain another Node.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:26-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE NOTICE ./
COPY bin bin
COPY locales locales
COPY migrations migrations
COPY docs/guide.md docs/webhooks.md docs/agents.md docs/errors.md docs/
COPY packages packages
COPY src src
COPY ops/docker/health.mjs ops/docker/health.mjs
RUN install --directory --owner=1000 --group=1000 --mode=700 /data
VOLUME /data
# A numeric user, because Kubernetes can then verify that it is not root.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/ops/docker/health.mjs"]
# The launcher replaces itself with the service, which becomes process 1 and receives all signals.
ENTRYPOINT ["node", "/app/bin/job-marketplace.js"]
CMD ["serve"]
