/** Inputs that the services share. Routes and pages build them from requests. */
import type { Precondition } from './entity-tags.ts'
import type { BodyFault } from './errors.ts'
import type { Actor } from './scopes.ts'

/** A request body to create something from. */
export interface Submission<Body> {
  body: Body
  /** Faults that are already found, such as those of schema validation. */
  faults: readonly BodyFault[]
  now: Date
}

/** A request body to merge into a resource. */
export interface Change<Body> extends Submission<Body> {
  id: string
  precondition: Precondition
}

/** An action of an account on a resource. */
export interface Action {
  actor: Actor
  id: string
  now: Date
}
