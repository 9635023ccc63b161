export interface SinkEvent {
  id: string
  type: string
  /** The stored envelope, as webhooks deliver it. */
  body: string
}

/** A message broker that receives all events. */
export interface EventSink {
  /** Resolves when the broker has stored the event. */
  publish(event: SinkEvent): Promise<void>
  close(): Promise<void>
}
