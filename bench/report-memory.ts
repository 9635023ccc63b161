/**
 * Preloaded by processes whose memory is measured (`node --expose-gc --import`). Answers a message with the resident memory and
 * the memory in use after a garbage collection.
 */
process.on('message', () => {
  const { rss } = process.memoryUsage()
  globalThis.gc!()
  process.send!({ ...process.memoryUsage(), rss })
})
// Waiting for a message must not keep the process alive. Threads have no channel.
process.channel?.unref()
