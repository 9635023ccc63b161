import { Gauge, type Registry } from 'prom-client'

/**
 * Registers a gauge for the readers of the event stream. The registry outlives the service, so the gauge must refer
 * only to the set of readers.
 */
export function registerStreamGauge(registry: Registry, readers: ReadonlySet<unknown>): void {
  new Gauge({
    name: 'event_stream_readers',
    help: 'Readers of the event stream that wait for events',
    registers: [registry],
    collect() {
      this.set(readers.size)
    },
  })
}
