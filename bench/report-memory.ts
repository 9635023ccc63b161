/**
 * Preloaded by processes whose memory is watched (`node --expose-gc --import`): answers a message with
 * what is resident, and what of it is in use once the garbage is collected.
 */
process.on('message', () => {
  const { rss } = process.memoryUsage()
  globalThis.gc!()
  process.send!({ ...process.memoryUsage(), rss })
})
// Waiting for a message keeps no process alive. Threads have no channel.
process.channel?.unref()
