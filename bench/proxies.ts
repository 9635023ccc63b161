/** Proxies in front of local processes, as configured in ops/. */
import { once } from 'node:events'
import { accessSync, chmodSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort, type Process, startProgram } from './processes.ts'

const configurations = new URL('../ops/', import.meta.url).pathname

export interface ReverseProxy extends Process {
  origin: string
}

/** Returns the path of a program. Also searches folders that are in PATH only for root. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/** Edits a configuration as an operator would. Throws if the configuration lacks the text to replace. */
function edit(text: string, changes: readonly [pattern: RegExp, replacement: string][]): string {
  return changes.reduce((edited, [pattern, replacement]) => {
    if (!pattern.test(edited)) throw new Error(`The configuration does not contain ${pattern}`)
    return edited.replace(pattern, () => replacement)
  }, text)
}

/** Returns nginx's main configuration, which usually comes with a distribution's package. */
const nginxMain = (folder: string, site: string) => `
worker_processes 1;
worker_rlimit_nofile 20000;
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log warn;
events { worker_connections 10000; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
${site}
}
`

/** A server block that leaves nginx's defaults unchanged. */
const nginxDefaults =
  'upstream job_marketplace {\n  server 127.0.0.1:3000;\n}\nserver {\n  listen 80;\n  location / { proxy_pass http://job_marketplace; }\n}'

/** Starts nginx in front of these processes; `isBare` uses nginx's defaults instead of ops/nginx. */
export async function startNginx(
  folder: string,
  origins: readonly string[],
  { isBare = false } = {},
): Promise<ReverseProxy> {
  const port = await freePort()
  const hosts = origins.map((origin) => new URL(origin).host)
  const shipped = () =>
    edit(readFileSync(join(configurations, 'nginx/job-marketplace.conf'), 'utf8'), [
      [/ *listen 80;\n *listen \[::\]:80;/, `  listen 127.0.0.1:${port};`],
      [
        /(?: *server 127\.0\.0\.1:\d+ max_fails=0;\n)+/,
        hosts.map((host) => `  server ${host} max_fails=0;\n`).join(''),
      ],
    ])
  const bare = () =>
    edit(nginxDefaults, [
      [/listen 80;/, `listen 127.0.0.1:${port};`],
      [/ *server 127.+\n/, hosts.map((host) => `  server ${host};\n`).join('')],
    ])
  mkdirSync(folder, { recursive: true })
  // If root starts nginx, its workers run as another user and must be able to read the folder.
  chmodSync(folder, 0o755)
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, nginxMain(folder, isBare ? bare() : shipped()))
  return whenListening(startProgram(findProgram('nginx')!, ['-p', folder, '-c', file]), port)
}

/** Starts HAProxy in front of these processes. */
export async function startHaproxy(folder: string, origins: readonly string[]): Promise<ReverseProxy> {
  const port = await freePort()
  const servers = origins.map((origin, n) => `  server process${n + 1} ${new URL(origin).host}\n`)
  const text = edit(readFileSync(join(configurations, 'haproxy/haproxy.cfg'), 'utf8'), [
    [/bind :80\n/, `bind 127.0.0.1:${port}\n`],
    [/(?: *server process\d+ .+\n)+/, servers.join('')],
  ])
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, text)
  return whenListening(startProgram(findProgram('haproxy')!, ['-db', '-f', file]), port)
}

async function whenListening(proxy: Process, port: number): Promise<ReverseProxy> {
  await untilListening(port)
  return { ...proxy, origin: `http://127.0.0.1:${port}` }
}

export async function untilListening(port: number): Promise<void> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await pause(50)) {
    const socket = connect(port, '127.0.0.1')
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
  }
  throw new Error(`Nothing listens on ${port}`)
}
