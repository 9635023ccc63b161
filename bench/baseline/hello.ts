/** A bare Fastify server that shows the minimum cost of a request. */
import Fastify from 'fastify'

const app = Fastify()
app.get('/', async () => ({ hello: 'world' }))
await app.listen({ port: Number(process.env.PORT) })
