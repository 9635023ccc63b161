/** Gives successful responses the status that their route declares. */
import type { FastifyInstance, preHandlerHookHandler } from 'fastify'

/**
 * Sets the status before the handler runs. A route that declares several success statuses starts with 200, and its
 * handler selects the others.
 */
export function useDeclaredStatus(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const declared = Object.keys(route.schema?.response ?? {}).filter((status) => status.startsWith('2'))
    if (declared.length !== 1 || declared[0] === '200') return
    const status = Number(declared[0])
    const setStatus: preHandlerHookHandler = (_request, reply, done) => {
      reply.code(status)
      done()
    }
    route.preHandler = [...[route.preHandler ?? []].flat(), setStatus]
  })
}
