/**
 * With `TEST_STALLS=on`, stalls the worker now and then, as a busy machine does. Finds tests whose results depend on
 * the speed of the machine.
 */
const STALLS_MS = [120, 250, 1_200]
const BETWEEN_MAX_MS = 500

function stallLater(): void {
  setTimeout(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALLS_MS[Math.floor(Math.random() * 3)])
    stallLater()
  }, Math.random() * BETWEEN_MAX_MS).unref()
}

// The files of a worker share its timers.
const worker = globalThis as { isStalling?: true }
if (process.env.TEST_STALLS === 'on' && !worker.isStalling) {
  worker.isStalling = true
  stallLater()
}
