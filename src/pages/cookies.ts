/** The cookies of pages. Under https their names keep other hosts of the domain from setting them. */
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Cookie {
  /** The value that was sent; undefined without one, and where several were sent: one of them is somebody else's. */
  read(request: FastifyRequest): string | undefined
  /** Without `maxAgeS` it lasts as long as the browser runs. */
  set(reply: FastifyReply, value: string, maxAgeS?: number): void
  clear(reply: FastifyReply): void
}

export interface Cookies {
  /** The token of a session. */
  session: Cookie
  /** What forms of visitors without a session are bound to. */
  visitor: Cookie
  /** A sentence for the next page. */
  notice: Cookie
}

/** The cookies under a public origin. */
export function createCookies(origin: string): Cookies {
  const isHttps = origin.startsWith('https:')
  const cookie = (name: string): Cookie => {
    const fullName = isHttps ? `__Host-${name}` : name
    const write = (reply: FastifyReply, value: string, more: string) => {
      const text = `${fullName}=${value}; Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}${more}`
      // One cookie set twice: the later one counts.
      const others = [reply.getHeader('set-cookie') ?? []].flat().map(String)
      reply.removeHeader('set-cookie')
      reply.header('set-cookie', [...others.filter((other) => !other.startsWith(`${fullName}=`)), text])
    }
    return {
      read: ({ headers }) => {
        const values = (headers.cookie ?? '')
          .split(';')
          .map((pair) => pair.trim())
          .filter((pair) => pair.startsWith(`${fullName}=`))
        return values.length === 1 ? values[0]!.slice(fullName.length + 1) : undefined
      },
      set: (reply, value, maxAgeS) => write(reply, value, maxAgeS === undefined ? '' : `; Max-Age=${maxAgeS}`),
      clear: (reply) => write(reply, '', '; Max-Age=0'),
    }
  }
  return { session: cookie('session'), visitor: cookie('visitor'), notice: cookie('notice') }
}
