/** Reports an unsupported Node version in one line, before loading code that requires a newer version. */

const NODE_MAJOR_MIN = 24

export function checkRuntime(): void {
  const major = Number(process.versions.node.split('.', 1)[0])
  if (major >= NODE_MAJOR_MIN) return
  console.error(
    `Node ${NODE_MAJOR_MIN} or newer is required, but this is ${process.versions.node}. ` +
      'Run "node bin/job-marketplace.js serve", which uses the Node that npm ci installed.',
  )
  process.exit(1)
}
