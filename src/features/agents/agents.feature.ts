import { defineFeature } from '../feature.ts'
import { registerAgents } from './agents.routes.ts'

/** Agents' access to the API through the Model Context Protocol. */
export const agents = defineFeature({
  name: 'agents',
  isOptional: true,
  open: (kit) => ({ api: (v1) => registerAgents(v1, kit) }),
})
