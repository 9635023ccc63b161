/** Background loops: run, wait, run again; one failure is logged and the next round tries anew. */

export interface Task {
  name: string
  /** The longest pause between two rounds, in milliseconds. */
  everyMs: number
  /** Runs in every process, as it is about what only the process itself knows. */
  isEverywhere?: true
  /** One round; `more` asks for the next at once. After `ending` is aborted there are seconds left. Tests call this. */
  once(ending?: AbortSignal): Promise<'more' | 'done'>
}

interface Log {
  error(details: object, message: string): void
}

/** Runs a task until stopped; `stop` waits for the round in progress, which `ending` asks to break off. */
export function startLoop(task: Task, log: Log, ending?: AbortSignal): { stop(): Promise<void> } {
  const stopping = Promise.withResolvers<void>()
  let isStopping = false
  const rounds = (async () => {
    while (!isStopping) {
      const outcome = await task.once(ending).catch((error: unknown) => {
        log.error({ err: error, task: task.name }, 'task failed')
        return 'done' as const
      })
      if (outcome === 'more') continue
      let timer: NodeJS.Timeout | undefined
      const pause = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, task.everyMs)
      })
      await Promise.race([pause, stopping.promise])
      clearTimeout(timer)
    }
  })()
  return {
    async stop() {
      isStopping = true
      stopping.resolve()
      await rounds
    },
  }
}
