/** Input types that services share. Routes and pages build these inputs from requests. */
import type { Precondition } from './entity-tags.ts'
import type { BodyFault } from './errors.ts'
import type { Actor } from './scopes.ts'

/** A request body that creates a resource. */
export interface Submission<Body> {
  body: Body
  /** Faults found so far, such as those from schema validation. */
  faults: readonly BodyFault[]
  now: Date
}

/** A request body whose members change a resource. */
export interface Change<Body> extends Submission<Body> {
  id: string
  precondition: Precondition
}

/** An action that an account performs on a resource. */
export interface Action {
  actor: Actor
  id: string
  now: Date
}
