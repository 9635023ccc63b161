/** The image's health check: exits with 0 if the process responds on PORT or, for a worker, on METRICS_PORT. */
const { HOST = '127.0.0.1', METRICS_PORT, PORT = '3000' } = process.env
const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST
const ports = METRICS_PORT ? [PORT, METRICS_PORT] : [PORT]
const answers = ports.map((port) =>
  fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`, {
    signal: AbortSignal.timeout(4_000),
  }).then(
    ({ ok }) => ok,
    () => false,
  ),
)
process.exitCode = (await Promise.all(answers)).includes(true) ? 0 : 1
