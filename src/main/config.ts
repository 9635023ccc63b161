/** Declares the environment variables in one schema, with their defaults, checks and documentation. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { providerNames } from '../features/payments/index.ts'
import type { PortRange } from '../features/webhooks/index.ts'
import { parseS3Url, type S3Location } from '../files/s3.ts'
import { addressForms, type TrustedProxies } from '../http/client-address.ts'
import { isCurrency } from '../lib/salary.ts'
import { originIn } from '../lib/url.ts'
import { isTimeZone } from '../locale/formats.ts'

/** An error in the configuration. The message of an error from `readConfig` has one line per fault. */
export class ConfigError extends Error {}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const ONE_ORIGIN =
  'must be one origin, because links, cookies and forms belong to one domain. Redirect other domains, and set one origin'
const NO_SUB_PATH =
  'must be an origin without a path, because pages and the API need the root of a domain. Use a subdomain such as https://jobs.example.com'

interface Variable<T> {
  description: string
  /** The default as it would be written in the environment. */
  fallback?: string | undefined
  /** The value is never shown. It can also be read from the file that `NAME_FILE` names. */
  secret?: boolean
  /** Returns the parsed value, or an error that describes the required format. */
  parse(text: string): T | ConfigError
}

const oneOf = <const T extends string>(choices: readonly T[], description: string, fallback: T): Variable<T> => ({
  description: `${description} (${choices.join('|')})`,
  fallback,
  parse: (text) =>
    choices.includes(text as T) ? (text as T) : new ConfigError(`must be one of ${choices.join(', ')}`),
})

const integer = (minimum: number, maximum: number, description: string, fallback?: number): Variable<number> => ({
  description,
  fallback: fallback?.toString(),
  parse: (text) => {
    const value = Number(text)
    const isInside = /^\d+$/.test(text) && value >= minimum && value <= maximum
    return isInside ? value : new ConfigError(`must be a whole number from ${minimum} to ${maximum}`)
  },
})

const text = (description: string, fallback?: string): Variable<string | undefined> => ({
  description,
  fallback,
  parse: (value) => value,
})

const listOf = (value: string): string[] => value.split(',').map((part) => part.trim())

/** The keys for the secrets in the database. The first key encrypts; all keys decrypt. */
export type EncryptionKeys = readonly [Uint8Array, ...Uint8Array[]]

/** Parses comma-separated keys, from the environment or from the file next to the embedded database. */
export function parseEncryptionKeys(value: string): EncryptionKeys | ConfigError {
  const texts = listOf(value)
  const keys = texts.map(
    (text) => new Uint8Array(/^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')),
  )
  const areKeys = texts.every((text) => /^(?:[0-9a-f]{64}|[\w+/-]{43}=?)$/i.test(text))
  return areKeys && keys.every(({ length }) => length === 32)
    ? (keys as unknown as EncryptionKeys)
    : new ConfigError(
        'must be one or more comma-separated keys of 32 bytes in base64 or hex. Create one with openssl rand -base64 32',
      )
}
/** Minimum retention in days. The service guarantees that events and statistics are kept for 30 days. */
const RETENTION_DAYS_MIN = 30
const retentionDays = (what: string): Variable<number | undefined> =>
  integer(RETENTION_DAYS_MIN, 36_500, `Days after which ${what}. Default: never`)

/** Returns a variable that names a PEM file of certificates. Its parsed value is the content of the file. */
const pemFile = (description: string): Variable<string | undefined> => ({
  description,
  parse: (value) => {
    try {
      const pem = readFileSync(value, 'utf8')
      new X509Certificate(pem)
      return pem
    } catch {
      return new ConfigError('must be the path of a readable PEM file with certificates')
    }
  },
})

const parseDatabaseUrl = (value: string) =>
  /^postgres(?:ql)?:\/\//.test(value) ? value : new ConfigError('must start with postgres:// or postgresql://')

const parseHttpUrl = (value: string) =>
  /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? value : new ConfigError('must be an http or https URL')

const oidcKinds = ['admin', 'employer', 'candidate'] as const
type OidcKind = (typeof oidcKinds)[number]

/** Every environment variable of the service, by name. */
export const variables = {
  HOST: {
    description: 'IP address or host name to listen on',
    fallback: '127.0.0.1',
    // The host must be valid in a URL, because URLs in responses contain it.
    parse: (value: string) =>
      URL.canParse(`http://${value.includes(':') ? `[${value}]` : value}`)
        ? value
        : new ConfigError('must be an IP address or a host name'),
  } as Variable<string>,
  PORT: integer(1, 65_535, 'Port to listen on', 3000),
  PUBLIC_BASE_URL: {
    description: 'Public origin, without a path. Default: http://HOST:PORT',
    parse: (value: string) => {
      const url = URL.parse(value)
      if (/[\s,;]/.test(value)) return new ConfigError(ONE_ORIGIN)
      if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || /[?#]/.test(value)) {
        return new ConfigError('must be an origin such as https://jobs.example.com')
      }
      return url.pathname === '/' ? url.origin : new ConfigError(NO_SUB_PATH)
    },
  } as Variable<string | undefined>,
  DATABASE_URL: {
    description: 'URL of PostgreSQL 15 or newer. Default: an embedded database in DATA_DIR',
    secret: true,
    parse: parseDatabaseUrl,
  } as Variable<string | undefined>,
  DATABASE_REPLICA_URL: {
    description: 'URL of a streaming replica, which serves reads unless it is behind. Default: none',
    secret: true,
    parse: parseDatabaseUrl,
  } as Variable<string | undefined>,
  DATABASE_POOL_SIZE: integer(
    1,
    200,
    'Maximum number of connections per process to each PostgreSQL server: the primary and the replica, if any',
    10,
  ),
  DATABASE_POOL_MODE: oneOf(
    ['session', 'transaction'],
    'Pool mode of a connection pooler such as PgBouncer. Without a pooler, use session',
    'session',
  ),
  STALE_MAX_S: integer(
    0,
    3_600,
    'Seconds for which lists, jobs and pages are served from memory while PostgreSQL is unavailable. 0: never',
    300,
  ),
  DATA_DIR: text(
    'Folder for the embedded database, its encryption key, a snapshot of the board, archived jobs and, without MAIL_URL, emails',
    './data',
  ) as Variable<string>,
  FILES_URL: {
    description:
      'S3-compatible bucket for files, https://KEY:SECRET@HOST/BUCKET?region=REGION. Default: in the database',
    secret: true,
    parse: (value: string) =>
      parseS3Url(value) ?? new ConfigError('must be like https://KEY:SECRET@s3.example.com/bucket?region=eu-1'),
  } as Variable<S3Location | undefined>,
  ADMIN_API_KEY: {
    description:
      "The operator's API key, at least 24 printable characters. Two comma-separated keys during a rotation. Default: none",
    secret: true,
    parse: (value: string) => {
      const keys = listOf(value)
      return keys.length <= 2 && keys.every((key) => /^[\x21-\x7e]{24,256}$/.test(key))
        ? keys
        : new ConfigError('must be one or two comma-separated keys, each 24 to 256 printable characters without spaces')
    },
  } as Variable<string[] | undefined>,
  REGISTRATION: oneOf(['open', 'closed'], 'Whether anyone may register an account', 'open'),
  OIDC_ISSUER: {
    description: 'URL of an OpenID provider with which people sign in to the website. Default: none',
    parse: (value: string) => {
      const url = URL.parse(value)
      const isLocal = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
      const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)
      return url && isAllowed && url.username === '' && url.search === '' && url.hash === ''
        ? url
        : new ConfigError('must be an https URL such as https://id.example.com')
    },
  } as Variable<URL | undefined>,
  OIDC_CLIENT_ID: text('Client ID of the board at the OpenID provider. Required with OIDC_ISSUER'),
  OIDC_CLIENT_SECRET: {
    ...text('Client secret of the board at the OpenID provider. Required with OIDC_ISSUER'),
    secret: true,
  } as Variable<string | undefined>,
  OIDC_NAME: text("Name of the OpenID provider on the sign-in page. Default: the issuer's host"),
  OIDC_FOR: {
    description:
      'Comma-separated kinds of accounts to which people may sign in through the OpenID provider (admin|employer|candidate)',
    fallback: 'admin,employer,candidate',
    parse: (value: string) => {
      const kinds = listOf(value)
      return kinds.every((kind) => oidcKinds.some((known) => known === kind))
        ? (kinds as OidcKind[])
        : new ConfigError(`must be comma-separated kinds: ${oidcKinds.join(', ')}`)
    },
  } as Variable<readonly OidcKind[]>,
  PAGES: oneOf(['on', 'off'], 'Whether the service also serves the website', 'on'),
  PAYMENTS: oneOf(providerNames, 'How employers pay for job posts', 'manual'),
  STRIPE_SECRET_KEY: {
    description: 'Secret or restricted key of the Stripe account. Required with PAYMENTS=stripe',
    secret: true,
    parse: (value: string) =>
      /^[sr]k_(?:live|test)_\w{8,250}$/.test(value)
        ? value
        : new ConfigError('must be a key that begins with sk_live_, rk_live_, sk_test_ or rk_test_'),
  } as Variable<string | undefined>,
  STRIPE_WEBHOOK_SECRET: {
    description: "Signing secret of Stripe's event destination. Required with PAYMENTS=stripe",
    secret: true,
    parse: (value: string) =>
      /^whsec_[\x21-\x7e]{8,250}$/.test(value) ? value : new ConfigError('must be a secret that begins with whsec_'),
  } as Variable<string | undefined>,
  DEFAULT_CURRENCY: {
    description: 'Currency of salaries that do not specify one (ISO 4217)',
    fallback: 'USD',
    parse: (value: string) => (isCurrency(value) ? value : new ConfigError('must be an ISO 4217 code such as EUR')),
  } as Variable<string>,
  TIME_ZONE: {
    description: 'Time zone (IANA name) for times in emails, and on pages if the time zone of the reader is unknown',
    fallback: 'UTC',
    parse: (value: string) =>
      isTimeZone(value) ? value : new ConfigError('must be the IANA name of a time zone such as Europe/Berlin'),
  } as Variable<string>,
  INDEXNOW_KEY: {
    description:
      'Key for announcing changed jobs to search engines: 8 to 128 letters, digits and hyphens of your choice. The key is public. Default: no announcements',
    parse: (value: string) =>
      /^[A-Za-z0-9-]{8,128}$/.test(value) ? value : new ConfigError('must be 8 to 128 letters, digits and hyphens'),
  } as Variable<string | undefined>,
  INDEXNOW_URL: {
    description: 'URL that receives the announcements and forwards them to all participating search engines',
    fallback: 'https://api.indexnow.org/indexnow',
    parse: parseHttpUrl,
  } as Variable<string>,
  EVENTS_SINK: {
    description:
      'NATS or Kafka server that receives all events, such as nats://USER:PASSWORD@HOST:4222. See [the event sink](#the-event-sink). Default: none',
    secret: true,
    parse: (value: string) => {
      const urls = listOf(value).map((server) => URL.parse(server))
      const isOfOneKind = [/^(?:nats|tls):$/, /^kafkas?:$/].some((kind) =>
        urls.every((url) => kind.test(url?.protocol ?? '')),
      )
      return isOfOneKind
        ? (urls as URL[])
        : new ConfigError('must be one or more comma-separated URLs such as nats://nats.example.com:4222')
    },
  } as Variable<URL[] | undefined>,
  SEARCH_URL: {
    description:
      'OpenSearch cluster that serves lists and searches for boards with millions of jobs: comma-separated URLs of its nodes, such as https://USER:PASSWORD@HOST:9200. Default: lists come from memory',
    secret: true,
    parse: (value: string) => {
      const urls = listOf(value).map((node) => URL.parse(node))
      return urls.every((url) => url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '')
        ? (urls as URL[])
        : new ConfigError('must be one or more comma-separated URLs such as https://search.example.com:9200')
    },
  } as Variable<URL[] | undefined>,
  SEARCH_INDEX: {
    description: 'Prefix of index names in the OpenSearch cluster',
    fallback: 'jobs',
    parse: (value: string) =>
      /^[a-z][a-z0-9_-]{0,99}$/.test(value)
        ? value
        : new ConfigError(
            'must be 1 to 100 lowercase letters, digits, hyphens and underscores, and begin with a letter',
          ),
  } as Variable<string>,
  SEARCH_PASSWORD: {
    ...text('Password for the OpenSearch cluster, instead of the one in SEARCH_URL. Default: none'),
    secret: true,
  } as Variable<string | undefined>,
  SEARCH_CA_FILE: pemFile(
    'PEM file of the certificate authorities of the OpenSearch cluster. Default: the authorities that Node.js trusts',
  ),
  MAIL_URL: {
    description: "Mail server, smtp:// or smtps:// with nodemailer's options. Default: .eml files in DATA_DIR/mail",
    secret: true,
    parse: (value: string) => {
      const url = URL.parse(value)
      const isSmtp = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
      return isSmtp ? value : new ConfigError('must be a URL such as smtp://user:password@mail.example.com:587')
    },
  } as Variable<string | undefined>,
  MAIL_FROM: {
    description:
      'Sender of emails: an email address, or a name and <an email address>. If the board has a name, emails show that name instead. Required with MAIL_URL',
    parse: (value: string) =>
      /^(?:[^<>"\p{Cc}]{1,100} <)?[^\s@<>,;:"()[\]\\\p{Cc}]+@[A-Za-z0-9.-]+>?$/u.test(value) &&
      value.includes('<') === value.endsWith('>')
        ? value
        : new ConfigError('must be an email address such as jobs@example.com or Jobs <jobs@example.com>'),
  } as Variable<string | undefined>,
  ENCRYPTION_KEY: {
    description:
      'Comma-separated keys for the secrets in the database, each 32 bytes in base64 or hex: the first encrypts, all decrypt. Required with DATABASE_URL. Default: a file in DATA_DIR',
    secret: true,
    parse: parseEncryptionKeys,
  } as Variable<EncryptionKeys | undefined>,
  WEBHOOK_ALLOW_CIDRS: {
    description: 'Comma-separated private address ranges that webhooks may be sent to. Default: none',
    parse: (value: string) => {
      const ranges = listOf(value)
      return ranges.every((range) => ipaddr.isValidCIDR(range))
        ? ranges
        : new ConfigError('must be ranges such as 10.20.0.0/16,fd00:20::/32')
    },
  } as Variable<string[] | undefined>,
  WEBHOOK_ALLOW_PORTS: {
    description: 'Comma-separated ports and port ranges that webhooks may be sent to',
    fallback: '443,1024-65535',
    parse: (value: string) => {
      const ranges = listOf(value).map((text) => {
        const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
        return [Number(from), Number(to)] as const
      })
      return ranges.every(([from, to]) => from >= 1 && from <= to && to <= 65_535)
        ? ranges
        : new ConfigError('must be ports or ranges from 1 to 65535, such as 443,1024-65535')
    },
  } as Variable<PortRange[]>,
  WEBHOOK_CA_FILE: pemFile('PEM file of additional certificate authorities for webhooks. Default: none'),
  WEBHOOK_RETRY_SCHEDULE: {
    description:
      'Comma-separated delays in seconds before each attempt of a delivery, each ±20%. The first is ignored, because the first attempt is immediate. Default: 0,5,300,1800,7200,18000,36000,50400,72000,86400',
    parse: (value: string) => {
      const seconds = listOf(value)
      const isSchedule =
        seconds.length <= 50 && seconds.every((part) => /^\d{1,6}$/.test(part) && Number(part) <= 604_800)
      return isSchedule
        ? seconds.map(Number)
        : new ConfigError('must be 1 to 50 whole numbers of seconds up to 604800, such as 0,60,3600')
    },
  } as Variable<number[] | undefined>,
  WEBHOOK_TIMEOUT_MS: integer(
    1_000,
    30_000,
    'Maximum duration of an attempt in milliseconds, including the response',
    15_000,
  ),
  RETENTION_APPLICATIONS_DAYS: retentionDays('applications are deleted, counted from their last change'),
  RETENTION_CLOSED_JOBS_DAYS: retentionDays(
    'expired and deleted jobs are moved to files in DATA_DIR/archive, unless they have applications, reports or a pending payment',
  ),
  RETENTION_VIEWS_DAYS: retentionDays('daily job view counts are deleted, a month at a time'),
  RETENTION_REPORTS_DAYS: retentionDays('decided job reports are deleted'),
  RETENTION_ACTIVITY_DAYS: retentionDays('entries of the activity log are deleted'),
  RATE_LIMIT: oneOf(['on', 'off'], 'Whether rate limits and budgets apply', 'on'),
  FAST_PATH: oneOf(
    ['on', 'off'],
    'Whether the fast path serves cached responses. With off, responses stay the same but throughput is lower',
    'on',
  ),
  TRUST_PROXY: {
    description:
      'Proxies whose X-Forwarded-For is trusted: the number of hops, or comma-separated IP addresses or ranges. Default: none',
    parse: (value: string) => {
      if (/^[1-9]$/.test(value)) return { hops: Number(value) }
      const ranges = listOf(value)
      const isRange = (range: string) => ipaddr.isValidCIDR(range) || isIP(range) !== 0
      return ranges.every(isRange)
        ? { ranges: ranges.map((range) => (range.includes('/') ? range : `${range}/${isIP(range) === 4 ? 32 : 128}`)) }
        : new ConfigError('must be a number from 1 to 9, or addresses or ranges such as 127.0.0.1,10.0.0.0/8')
    },
  } as Variable<TrustedProxies>,
  CORS_ORIGINS: {
    description: 'Comma-separated origins whose pages may use the API in browsers, or *. Default: none',
    parse: (value: string) => {
      if (value === '*') return '*'
      const origins = listOf(value).map(originIn)
      return origins.every((origin) => origin !== undefined)
        ? origins
        : new ConfigError('must be * or origins such as https://jobs.example.com,https://example.com')
    },
  } as Variable<'*' | string[] | undefined>,
  STOP_DELAY_S: integer(
    0,
    300,
    'Seconds for which the process still accepts connections after SIGTERM. During this time, it reports that it is not ready',
    3,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    description:
      'URL of an OpenTelemetry collector that receives traces, without /v1/traces. See [Tracing](#tracing). Default: none',
    parse: parseHttpUrl,
  } as Variable<string | undefined>,
  METRICS_PORT: integer(
    1,
    65_535,
    'Port on which `serve --only work` serves /metrics, /healthz and /readyz. Default: none',
  ) as Variable<number | undefined>,
  LOG_LEVEL: oneOf(logLevels, 'Minimum severity of log lines', 'info'),
  LOG_CLIENT_ADDRESS: oneOf(addressForms, "How much of the client's IP address the log contains", 'none'),
} satisfies Record<string, Variable<unknown>>

type Values = {
  [K in keyof typeof variables]: (typeof variables)[K] extends Variable<infer T> ? T : never
}

export type Config = ReturnType<typeof configOf>

/**
 * Returns the name of the variable that contains the path of a file with the secret. Container platforms provide
 * secrets as files.
 */
export const fileVariableOf = (name: string): string => `${name}_FILE`

/**
 * Returns the value of a variable, or the content of the file that contains the secret. Returns an empty string or
 * undefined if neither is set. Returns an error if both are set, or if the file is empty or cannot be read.
 */
function textOf(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
  { secret = false }: Variable<unknown>,
): string | undefined | ConfigError {
  const text = environment[name]?.trim()
  const fileVariable = fileVariableOf(name)
  const file = secret ? environment[fileVariable]?.trim() : undefined
  if (!file) return text
  if (text) return new ConfigError(`${name} and ${fileVariable} are both set: set only one of them`)
  try {
    return (
      readFileSync(file, 'utf8').trim() ||
      new ConfigError(`${fileVariable} names an empty file: ${JSON.stringify(file)}`)
    )
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return new ConfigError(`${fileVariable} names a file that cannot be read (${code}): ${JSON.stringify(file)}`)
  }
}

/** Sender of emails that the service only writes to files. */
const MAIL_FROM_DEFAULT = 'Job board <no-reply@localhost>'

/** Reads the configuration from the environment. Throws a `ConfigError` that lists all faults. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  /** The variables that are set, even if they are invalid. Faults in their values have already been reported. */
  const given = new Set<string>()
  for (const [name, variable] of Object.entries<Variable<unknown>>(variables)) {
    const text = textOf(environment, name, variable)
    const written = text instanceof ConfigError ? undefined : text || variable.fallback
    const value = written === undefined ? undefined : variable.parse(written)
    if (text) given.add(name)
    if (text instanceof ConfigError) faults.push(text.message)
    else if (value instanceof ConfigError) {
      const shown = variable.secret ? '' : `, not ${JSON.stringify(written)}`
      faults.push(`${name} ${value.message}${shown}`)
    } else values[name] = value
  }
  const requirements: [isNeeded: boolean, names: string[], reason: string][] = [
    [values.MAIL_URL !== undefined, ['MAIL_FROM'], 'MAIL_URL'],
    [values.PAYMENTS === 'stripe', ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'], 'PAYMENTS=stripe'],
    [given.has('OIDC_ISSUER'), ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'], 'OIDC_ISSUER'],
    [values.DATABASE_REPLICA_URL !== undefined, ['DATABASE_URL'], 'DATABASE_REPLICA_URL'],
  ]
  for (const [isNeeded, names, reason] of requirements) {
    const missing = isNeeded ? names.filter((name) => !given.has(name)) : []
    faults.push(...missing.map((name) => `${name} is required with ${reason}`))
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return configOf(values as Values)
}

/** Returns the configuration for the parsed values of all variables. */
function configOf(read: Values) {
  return Object.freeze({
    host: read.HOST,
    port: read.PORT,
    publicOrigin: read.PUBLIC_BASE_URL,
    databaseUrl: read.DATABASE_URL,
    databaseReplicaUrl: read.DATABASE_REPLICA_URL,
    databasePoolSize: read.DATABASE_POOL_SIZE,
    databasePoolMode: read.DATABASE_POOL_MODE,
    staleMaxMs: read.STALE_MAX_S * 1_000,
    dataDir: read.DATA_DIR,
    files: read.FILES_URL,
    adminApiKeys: read.ADMIN_API_KEY ?? [],
    isRegistrationOpen: read.REGISTRATION === 'open',
    hasPages: read.PAGES === 'on',
    payments: read.PAYMENTS,
    stripe:
      read.PAYMENTS === 'stripe'
        ? { secretKey: read.STRIPE_SECRET_KEY!, webhookSecret: read.STRIPE_WEBHOOK_SECRET! }
        : undefined,
    oidc: read.OIDC_ISSUER && {
      issuer: read.OIDC_ISSUER,
      clientId: read.OIDC_CLIENT_ID!,
      clientSecret: read.OIDC_CLIENT_SECRET!,
      name: read.OIDC_NAME ?? read.OIDC_ISSUER.host,
      kinds: read.OIDC_FOR,
    },
    indexNow: read.INDEXNOW_KEY === undefined ? undefined : { key: read.INDEXNOW_KEY, url: read.INDEXNOW_URL },
    eventSinkUrls: read.EVENTS_SINK,
    engine: read.SEARCH_URL && {
      urls: read.SEARCH_URL,
      index: read.SEARCH_INDEX,
      ca: read.SEARCH_CA_FILE,
      password: read.SEARCH_PASSWORD,
    },
    defaultCurrency: read.DEFAULT_CURRENCY,
    timeZone: read.TIME_ZONE,
    mailUrl: read.MAIL_URL,
    mailFrom: read.MAIL_FROM ?? MAIL_FROM_DEFAULT,
    /** Undefined: see `encryptionKeysOf`. */
    encryptionKeys: read.ENCRYPTION_KEY,
    webhookAllowCidrs: read.WEBHOOK_ALLOW_CIDRS ?? [],
    webhookAllowPorts: read.WEBHOOK_ALLOW_PORTS,
    webhookCa: read.WEBHOOK_CA_FILE,
    /** In seconds. Undefined: the standard schedule, which also has minimum pauses. */
    webhookRetrySchedule: read.WEBHOOK_RETRY_SCHEDULE,
    webhookTimeoutMs: read.WEBHOOK_TIMEOUT_MS,
    /** Days after which data is deleted or archived. Undefined: never. */
    retention: {
      applications: read.RETENTION_APPLICATIONS_DAYS,
      closedJobs: read.RETENTION_CLOSED_JOBS_DAYS,
      views: read.RETENTION_VIEWS_DAYS,
      reports: read.RETENTION_REPORTS_DAYS,
      activity: read.RETENTION_ACTIVITY_DAYS,
    },
    isRateLimited: read.RATE_LIMIT === 'on',
    hasFastPath: read.FAST_PATH === 'on',
    trustedProxies: read.TRUST_PROXY,
    corsOrigins: read.CORS_ORIGINS,
    /** Whether the process exports traces. OpenTelemetry's exporter reads its variables itself. */
    isTraced: read.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    stopDelayS: read.STOP_DELAY_S,
    metricsPort: read.METRICS_PORT,
    logLevel: read.LOG_LEVEL,
    logClientAddress: read.LOG_CLIENT_ADDRESS,
  })
}

/** Returns the public origin of the service. */
export function originOf(config: Config, port = config.port): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return config.publicOrigin ?? `http://${host}:${port}`
}
