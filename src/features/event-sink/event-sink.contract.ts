export interface SinkEvent {
  id: string
  type: string
  /** ID of the job, application, candidate or employer that the event is about. */
  subjectId: string
  /** The stored envelope, as webhooks deliver it. */
  body: string
}

/** A message broker that receives all events. */
export interface EventSink {
  /** Publishes events, in order for each subject. Resolves when the broker has stored all of them. */
  publish(events: readonly SinkEvent[]): Promise<void>
  close(): Promise<void>
}
