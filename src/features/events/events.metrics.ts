import { Gauge, type Registry } from 'prom-client'

/** Counts the readers of the event stream. The registry outlives the service, so the gauge must not refer to more. */
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
