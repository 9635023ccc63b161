/** What operators watch of a process: its connections to the database, and what Node tells of itself. */
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'

export function registerProcessMetrics(registry: Registry, database: Database): void {
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections to the database, by state: busy or idle',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, idle } = database.connections
      this.set({ state: 'busy' }, open - idle)
      this.set({ state: 'idle' }, idle)
    },
  })
  new Gauge({
    name: 'database_pool_size',
    help: 'Connections that there may be',
    registers,
    collect() {
      this.set(database.connections.most)
    },
  })
  new Gauge({
    name: 'database_pool_waiting',
    help: 'Questions that wait for a connection',
    registers,
    collect() {
      this.set(database.connections.waiting)
    },
  })
}
