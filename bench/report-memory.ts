/**
 * Preloaded into processes under measurement (`node --expose-gc --import`). Responds to each message with the resident
 * memory and the memory in use after a garbage collection.
 */
process.on('message', () => {
  const { rss } = process.memoryUsage()
  globalThis.gc!()
  process.send!({ ...process.memoryUsage(), rss })
})
// Waiting for a message must not keep the process alive. Worker threads have no channel.
process.channel?.unref()
