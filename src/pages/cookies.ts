/** The website's cookies. With HTTPS, a name prefix prevents other hosts in the domain from setting them. */
import type { FastifyReply, FastifyRequest } from 'fastify'

interface Cookie {
  /** Returns the cookie's value. Ignores cookies that occur twice, because another host must have set one of them. */
  read(request: Pick<FastifyRequest, 'headers'>): string | undefined
  /** Sets the cookie. Without `maxAgeS`, the cookie lasts until the browser is closed. */
  set(reply: FastifyReply, value: string, maxAgeS?: number): void
  clear(reply: FastifyReply): void
}

export type Cookies = ReturnType<typeof createCookies>

export function createCookies(origin: string) {
  const isHttps = origin.startsWith('https:')
  const cookie = (name: string): Cookie => {
    const fullName = isHttps ? `__Host-${name}` : name
    const write = (reply: FastifyReply, value: string, more: string) => {
      const text = `${fullName}=${value}; Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}${more}`
      // If a response sets a cookie twice, only the later value is sent.
      const others = [reply.getHeader('set-cookie') ?? []].flat().map(String)
      reply.removeHeader('set-cookie')
      reply.header('set-cookie', [...others.filter((other) => !other.startsWith(`${fullName}=`)), text])
    }
    return {
      read: ({ headers }) => {
        if (headers.cookie === undefined) return undefined
        const values = headers.cookie
          .split(';')
          .map((pair) => pair.trim())
          .filter((pair) => pair.startsWith(`${fullName}=`))
        return values.length === 1 ? values[0]!.slice(fullName.length + 1) : undefined
      },
      set: (reply, value, maxAgeS) => write(reply, value, maxAgeS === undefined ? '' : `; Max-Age=${maxAgeS}`),
      clear: (reply) => write(reply, '', '; Max-Age=0'),
    }
  }
  return {
    session: cookie('session'),
    /** Binds forms to visitors without a session. */
    visitor: cookie('visitor'),
    /** The language that the reader chose. */
    language: cookie('language'),
    /** The reader's time zone, which `assets/site.js` sets. */
    timeZone: cookie('time_zone'),
    /** A sign-in that is waiting for the OpenID provider. */
    attempt: cookie('sign_in_attempt'),
    /** A notice that the next page shows. */
    notice: cookie('notice'),
  }
}
