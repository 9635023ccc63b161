import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError, readConfig, variables } from '../../src/main/config.ts'
import { encryptionKeysOf } from '../../src/main/encryption-key.ts'
import { makeCertificate } from '../support/receivers.ts'

const faultsOf = (environment: Record<string, string>): string[] => {
  try {
    readConfig(environment)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message.split('\n')
  }
  return []
}

let folder: string
let caFile: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'job-marketplace-config-'))
  caFile = join(folder, 'ca.pem')
  await writeFile(caFile, (await makeCertificate(['Authority'], { isAuthority: true })).cert)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const ONE_ORIGIN =
  'must be one origin, because links, cookies and forms belong to one domain. Redirect other domains, and set one origin'
const NO_SUB_PATH =
  'must be an origin without a path, because pages and the API need the root of a domain. Use a subdomain such as https://jobs.example.com'

describe('readConfig', () => {
  test('requires nothing: every variable has a default or is optional', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      publicOrigin: undefined,
      databaseUrl: undefined,
      databaseReplicaUrl: undefined,
      databasePoolSize: 10,
      databasePoolMode: 'session',
      staleMaxMs: 300_000,
      dataDir: './data',
      files: undefined,
      adminApiKeys: [],
      isRegistrationOpen: true,
      hasPages: true,
      payments: 'manual',
      defaultCurrency: 'USD',
      timeZone: 'UTC',
      mailUrl: undefined,
      mailFrom: 'Job board <no-reply@localhost>',
      encryptionKeys: undefined,
      webhookAllowCidrs: [],
      webhookAllowPorts: [
        [443, 443],
        [1024, 65_535],
      ],
      webhookCa: undefined,
      webhookRetrySchedule: undefined,
      webhookTimeoutMs: 15_000,
      retention: {},
      isRateLimited: true,
      hasFastPath: true,
      isTraced: false,
      stopDelayS: 3,
      logLevel: 'info',
      logClientAddress: 'none',
    })
  })

  test('reads variables, and freezes the configuration', () => {
    const config = readConfig({
      HOST: '0.0.0.0',
      PORT: '8080',
      PUBLIC_BASE_URL: 'https://jobs.example.com',
      DATABASE_URL: 'postgresql://board@db/board',
      DATABASE_REPLICA_URL: 'postgresql://board@replica/board',
      DATABASE_POOL_SIZE: '25',
      DATABASE_POOL_MODE: 'transaction',
      STALE_MAX_S: '60',
      DATA_DIR: '/var/lib/board',
      FILES_URL: 'https://KEY:a%2Fb@s3.example.com:9000/files?region=eu-1',
      ADMIN_API_KEY: 'k'.repeat(24),
      REGISTRATION: 'closed',
      PAGES: 'off',
      PAYMENTS: 'free',
      DEFAULT_CURRENCY: 'EUR',
      TIME_ZONE: 'Europe/Berlin',
      MAIL_URL: 'smtps://me:secret@mail.example.com?tls.rejectUnauthorized=false',
      MAIL_FROM: 'Jobs <jobs@example.com>',
      ENCRYPTION_KEY: 'ab'.repeat(32),
      WEBHOOK_ALLOW_CIDRS: '10.20.0.0/16, fd00:20::/32',
      WEBHOOK_ALLOW_PORTS: '443, 8000-8999',
      WEBHOOK_CA_FILE: caFile,
      WEBHOOK_RETRY_SCHEDULE: '0, 60,3600',
      WEBHOOK_TIMEOUT_MS: '1000',
      RETENTION_APPLICATIONS_DAYS: '180',
      RETENTION_CLOSED_JOBS_DAYS: '90',
      RETENTION_VIEWS_DAYS: '400',
      RETENTION_REPORTS_DAYS: '365',
      RETENTION_ACTIVITY_DAYS: '30',
      RATE_LIMIT: 'off',
      FAST_PATH: 'off',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      EVENTS_SINK: 'nats://board:secret@nats.example.com',
      SEARCH_URL: 'https://board:secret@a.example.com:9200, https://b.example.com:9200',
      SEARCH_INDEX: 'board',
      SEARCH_PASSWORD: 'better',
      SEARCH_CA_FILE: caFile,
      TRUST_PROXY: '127.0.0.1, 10.0.0.0/8, ::1',
      CORS_ORIGINS: 'https://jobs.example.com/, http://localhost:5173',
      STOP_DELAY_S: '10',
      LOG_LEVEL: 'silent',
      LOG_CLIENT_ADDRESS: 'truncated',
    })
    expect(config).toEqual({
      host: '0.0.0.0',
      port: 8080,
      publicOrigin: 'https://jobs.example.com',
      databaseUrl: 'postgresql://board@db/board',
      databaseReplicaUrl: 'postgresql://board@replica/board',
      databasePoolSize: 25,
      databasePoolMode: 'transaction',
      staleMaxMs: 60_000,
      dataDir: '/var/lib/board',
      files: {
        url: 'https://s3.example.com:9000/files',
        region: 'eu-1',
        accessKeyId: 'KEY',
        secretAccessKey: 'a/b',
      },
      adminApiKeys: ['k'.repeat(24)],
      isRegistrationOpen: false,
      hasPages: false,
      payments: 'free',
      defaultCurrency: 'EUR',
      timeZone: 'Europe/Berlin',
      mailUrl: 'smtps://me:secret@mail.example.com?tls.rejectUnauthorized=false',
      mailFrom: 'Jobs <jobs@example.com>',
      encryptionKeys: [new Uint8Array(32).fill(0xab)],
      webhookAllowCidrs: ['10.20.0.0/16', 'fd00:20::/32'],
      webhookAllowPorts: [
        [443, 443],
        [8000, 8999],
      ],
      webhookCa: readFileSync(caFile, 'utf8'),
      webhookRetrySchedule: [0, 60, 3600],
      webhookTimeoutMs: 1_000,
      retention: { applications: 180, closedJobs: 90, views: 400, reports: 365, activity: 30 },
      isRateLimited: false,
      hasFastPath: false,
      isTraced: true,
      eventSinkUrls: [new URL('nats://board:secret@nats.example.com')],
      engine: {
        urls: [new URL('https://board:secret@a.example.com:9200'), new URL('https://b.example.com:9200')],
        index: 'board',
        ca: readFileSync(caFile, 'utf8'),
        password: 'better',
      },
      trustedProxies: { ranges: ['127.0.0.1/32', '10.0.0.0/8', '::1/128'] },
      corsOrigins: ['https://jobs.example.com', 'http://localhost:5173'],
      stopDelayS: 10,
      logLevel: 'silent',
      logClientAddress: 'truncated',
    })
    expect(Object.isFrozen(config)).toBe(true)
  })

  test('treats empty and blank variables as absent, and trims all other variables', () => {
    const blank = Object.fromEntries(Object.keys(variables).map((name) => [name, '  ']))
    expect(readConfig(blank)).toEqual(readConfig({}))
    expect(readConfig({ PORT: ' 8080 ', UNKNOWN: 'x' }).port).toBe(8080)
  })

  test.each([
    ['https://jobs.example.com', 'https://jobs.example.com'],
    ['https://jobs.example.com/', 'https://jobs.example.com'],
    ['HTTPS://Jobs.Example.com:443', 'https://jobs.example.com'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('reads %s as the public origin %s', (text, origin) => {
    expect(readConfig({ PUBLIC_BASE_URL: text }).publicOrigin).toBe(origin)
  })

  test.each(['0.0.0.0', '::', '::1', 'localhost'])('accepts %s as the address to listen on', (host) => {
    expect(readConfig({ HOST: host }).host).toBe(host)
  })

  test('refuses invalid URLs of the search engine', () => {
    for (const SEARCH_URL of ['search', 'http://a,ftp://b', 'https://a?x=1']) {
      expect(() => readConfig({ SEARCH_URL })).toThrow(/^SEARCH_URL must be one or more comma-separated URLs such as/)
    }
  })

  test('reads the servers of one message broker', () => {
    const urls = (EVENTS_SINK: string) => readConfig({ EVENTS_SINK }).eventSinkUrls!.map(String)
    expect(urls('tls://a:4222, nats://b')).toEqual(['tls://a:4222', 'nats://b'])
    expect(urls('kafkas://user:word@a:9092?mechanism=SCRAM-SHA-512')).toHaveLength(1)
    for (const wrong of ['nats', 'https://a', 'nats://a,kafka://b']) expect(() => urls(wrong)).toThrow(ConfigError)
  })

  test('reads the key for announcing jobs, uses the default URL, and refuses an invalid key or URL', () => {
    const INDEXNOW_KEY = '0123abcd-4567'
    expect(readConfig({}).indexNow).toBeUndefined()
    expect(readConfig({ INDEXNOW_KEY }).indexNow).toEqual({
      key: INDEXNOW_KEY,
      url: 'https://api.indexnow.org/indexnow',
    })
    expect(() => readConfig({ INDEXNOW_KEY: 'a/../../b', INDEXNOW_URL: 'ftp://x' })).toThrow(
      new ConfigError(
        'INDEXNOW_KEY must be 8 to 128 letters, digits and hyphens, not "a/../../b"\n' +
          'INDEXNOW_URL must be an http or https URL, not "ftp://x"',
      ),
    )
  })

  test('reads both Stripe secrets, which only PAYMENTS=stripe requires', () => {
    const secrets = { STRIPE_SECRET_KEY: 'rk_live_0123456789', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789' }
    expect(readConfig({ PAYMENTS: 'stripe', ...secrets }).stripe).toEqual({
      secretKey: 'rk_live_0123456789',
      webhookSecret: 'whsec_0123456789',
    })
    expect(readConfig(secrets).stripe).toBeUndefined()
    expect(() => readConfig({ PAYMENTS: 'stripe', STRIPE_SECRET_KEY: ' ' })).toThrow(
      new ConfigError(
        'STRIPE_SECRET_KEY is required with PAYMENTS=stripe\nSTRIPE_WEBHOOK_SECRET is required with PAYMENTS=stripe',
      ),
    )
    expect(() =>
      readConfig({ PAYMENTS: 'stripe', STRIPE_SECRET_KEY: 'pk_live_0123456789', STRIPE_WEBHOOK_SECRET: 'x' }),
    ).toThrow(
      new ConfigError(
        'STRIPE_SECRET_KEY must be a key that begins with sk_live_, rk_live_, sk_test_ or rk_test_\n' +
          'STRIPE_WEBHOOK_SECRET must be a secret that begins with whsec_',
      ),
    )
  })

  test('accepts a number in TRUST_PROXY, and * in CORS_ORIGINS for all origins', () => {
    expect(readConfig({ TRUST_PROXY: '2' }).trustedProxies).toEqual({ hops: 2 })
    expect(readConfig({ CORS_ORIGINS: '*' }).corsOrigins).toBe('*')
  })

  test.each<[string, string, string]>([
    ['RATE_LIMIT', 'no', 'must be one of on, off'],
    ['TRUST_PROXY', 'true', 'must be a number from 1 to 9, or addresses or ranges such as 127.0.0.1,10.0.0.0/8'],
    ['TRUST_PROXY', '0', 'must be a number from 1 to 9, or addresses or ranges such as 127.0.0.1,10.0.0.0/8'],
    ['TRUST_PROXY', '10.0.0.0/8,', 'must be a number from 1 to 9, or addresses or ranges such as 127.0.0.1,10.0.0.0/8'],
    ['CORS_ORIGINS', 'jobs.example.com', 'must be * or origins such as https://jobs.example.com,https://example.com'],
    [
      'CORS_ORIGINS',
      'https://a.example,*',
      'must be * or origins such as https://jobs.example.com,https://example.com',
    ],
    ['HOST', '999.1.1.1', 'must be an IP address or a host name'],
    ['HOST', 'a host', 'must be an IP address or a host name'],
    ['PORT', '0', 'must be a whole number from 1 to 65535'],
    ['PORT', '65536', 'must be a whole number from 1 to 65535'],
    ['PORT', '3e3', 'must be a whole number from 1 to 65535'],
    ['PORT', '-1', 'must be a whole number from 1 to 65535'],
    ['DATABASE_POOL_SIZE', '0', 'must be a whole number from 1 to 200'],
    ['PUBLIC_BASE_URL', 'jobs.example.com', 'must be an origin such as https://jobs.example.com'],
    ['PUBLIC_BASE_URL', 'https://jobs.example.com/v1', NO_SUB_PATH],
    ['PUBLIC_BASE_URL', 'https://example.com/jobs/', NO_SUB_PATH],
    ['PUBLIC_BASE_URL', 'https://a.example,https://b.example', ONE_ORIGIN],
    ['PUBLIC_BASE_URL', 'https://a.example https://b.example', ONE_ORIGIN],
    ['PUBLIC_BASE_URL', 'https://jobs.example.com?a', 'must be an origin such as https://jobs.example.com'],
    ['PUBLIC_BASE_URL', 'https://user@jobs.example.com', 'must be an origin such as https://jobs.example.com'],
    ['PUBLIC_BASE_URL', 'ftp://jobs.example.com', 'must be an origin such as https://jobs.example.com'],
    ['REGISTRATION', 'Open', 'must be one of open, closed'],
    ['PAYMENTS', 'none', 'must be one of manual, test, free, stripe'],
    ['LOG_LEVEL', 'verbose', 'must be one of fatal, error, warn, info, debug, trace, silent'],
    ['WEBHOOK_ALLOW_CIDRS', '10.0.0.1', 'must be ranges such as 10.20.0.0/16,fd00:20::/32'],
    ['WEBHOOK_ALLOW_CIDRS', '10.0.0.0/8,', 'must be ranges such as 10.20.0.0/16,fd00:20::/32'],
    ['WEBHOOK_ALLOW_CIDRS', '10.0.0.0/33', 'must be ranges such as 10.20.0.0/16,fd00:20::/32'],
    ['WEBHOOK_ALLOW_CIDRS', 'example.com/8', 'must be ranges such as 10.20.0.0/16,fd00:20::/32'],
    ['WEBHOOK_ALLOW_PORTS', '0', 'must be ports or ranges from 1 to 65535, such as 443,1024-65535'],
    ['WEBHOOK_ALLOW_PORTS', '9-8', 'must be ports or ranges from 1 to 65535, such as 443,1024-65535'],
    ['WEBHOOK_ALLOW_PORTS', '443,https', 'must be ports or ranges from 1 to 65535, such as 443,1024-65535'],
    ['WEBHOOK_ALLOW_PORTS', '1-65536', 'must be ports or ranges from 1 to 65535, such as 443,1024-65535'],
    ['WEBHOOK_CA_FILE', '/no/such/file', 'must be the path of a readable PEM file with certificates'],
    ['WEBHOOK_CA_FILE', 'package.json', 'must be the path of a readable PEM file with certificates'],
    ['SEARCH_CA_FILE', '/no/such/file', 'must be the path of a readable PEM file with certificates'],
    [
      'SEARCH_INDEX',
      '-jobs',
      'must be 1 to 100 lowercase letters, digits, hyphens and underscores, and begin with a letter',
    ],
    ['WEBHOOK_RETRY_SCHEDULE', '0,-5', 'must be 1 to 50 whole numbers of seconds up to 604800, such as 0,60,3600'],
    ['WEBHOOK_RETRY_SCHEDULE', '0;5', 'must be 1 to 50 whole numbers of seconds up to 604800, such as 0,60,3600'],
    ['WEBHOOK_RETRY_SCHEDULE', '604801', 'must be 1 to 50 whole numbers of seconds up to 604800, such as 0,60,3600'],
    ['WEBHOOK_TIMEOUT_MS', '999', 'must be a whole number from 1000 to 30000'],
    ['WEBHOOK_TIMEOUT_MS', '30001', 'must be a whole number from 1000 to 30000'],
    ['TIME_ZONE', 'Mars/Olympus', 'must be the IANA name of a time zone such as Europe/Berlin'],
    ['DEFAULT_CURRENCY', 'eur', 'must be an ISO 4217 code such as EUR'],
    ['DEFAULT_CURRENCY', 'ZZZ', 'must be an ISO 4217 code such as EUR'],
  ])('refuses %s=%s and names the variable', (name, value, sentence) => {
    expect(faultsOf({ [name]: value })).toEqual([`${name} ${sentence}, not ${JSON.stringify(value)}`])
  })

  test('never shows the value of a refused secret', () => {
    const faults = faultsOf({
      ADMIN_API_KEY: 'short-secret',
      DATABASE_URL: 'mysql://user:password@db',
      FILES_URL: 'https://key:secret@s3.example.com',
    })
    expect(faults).toEqual([
      'DATABASE_URL must start with postgres:// or postgresql://',
      'FILES_URL must be like https://KEY:SECRET@s3.example.com/bucket?region=eu-1',
      'ADMIN_API_KEY must be one or two comma-separated keys, each 24 to 256 printable characters without spaces',
    ])
    expect(faultsOf({ MAIL_URL: 'http://me:secret@mail', MAIL_FROM: 'a@b.example' })).toEqual([
      'MAIL_URL must be a URL such as smtp://user:password@mail.example.com:587',
    ])
  })

  test('requires a database if a replica is set', () => {
    const replica = { DATABASE_REPLICA_URL: 'postgres://replica/board' }
    expect(faultsOf(replica)).toEqual(['DATABASE_URL is required with DATABASE_REPLICA_URL'])
  })

  test('requires a sender if an SMTP server is set', () => {
    expect(faultsOf({ MAIL_URL: 'smtp://localhost' })).toEqual(['MAIL_FROM is required with MAIL_URL'])
    expect(readConfig({ MAIL_URL: 'smtp://localhost', MAIL_FROM: 'a@b.example' }).mailFrom).toBe('a@b.example')
  })

  test.each([
    'jobs',
    'a@b.example>',
    '<a@b.example',
    'Jobs a@b.example',
    'a@b.example, c@d.example',
    'A\n<a@b.example>',
  ])('refuses %j as MAIL_FROM', (from) => {
    expect(faultsOf({ MAIL_FROM: from })).toHaveLength(1)
  })

  test.each([
    'k'.repeat(23),
    'k'.repeat(257),
    `${'k'.repeat(24)} k`,
    `${'k'.repeat(24)}é`,
    `${'k'.repeat(24)},`,
    Array(3).fill('k'.repeat(24)).join(),
  ])('refuses %s as ADMIN_API_KEY', (key) => {
    expect(faultsOf({ ADMIN_API_KEY: key })).toHaveLength(1)
  })

  test('names every invalid variable at once', () => {
    const names = faultsOf({ PORT: 'x', PAYMENTS: 'x', LOG_LEVEL: 'x' }).map((fault) => fault.split(' ')[0])
    expect(names).toEqual(['PORT', 'PAYMENTS', 'LOG_LEVEL'])
  })

  test('describes every variable', () => {
    for (const [name, { description }] of Object.entries(variables)) {
      expect(name).toMatch(/^[A-Z_]+$/)
      expect(description.length).toBeGreaterThan(5)
    }
  })
})

describe('a secret in a file', () => {
  const secrets = Object.entries<{ secret?: boolean }>(variables).flatMap(([name, { secret }]) =>
    secret ? [name] : [],
  )
  const values: Record<string, string> = {
    DATABASE_URL: 'postgres://board@db/board',
    DATABASE_REPLICA_URL: 'postgres://board@replica/board',
    FILES_URL: 'https://KEY:SECRET@s3.example.com/files?region=eu-1',
    ADMIN_API_KEY: 'k'.repeat(24),
    STRIPE_SECRET_KEY: 'sk_test_12345678',
    STRIPE_WEBHOOK_SECRET: 'whsec_12345678',
    EVENTS_SINK: 'nats://board:secret@nats.example.com',
    SEARCH_URL: 'https://board:secret@search.example.com:9200',
    SEARCH_PASSWORD: 'secret',
    MAIL_URL: 'smtp://me:secret@mail.example.com',
    ENCRYPTION_KEY: `${'ab'.repeat(32)},${'cd'.repeat(32)}`,
  }
  const beside = { DATABASE_URL: values.DATABASE_URL, MAIL_FROM: 'jobs@example.com', PAYMENTS: 'stripe' }
  const others = { STRIPE_SECRET_KEY: values.STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET: values.STRIPE_WEBHOOK_SECRET }

  test.each(secrets)(
    'is read from the file that %s_FILE names, with the same result as from the variable',
    async (name) => {
      const file = join(folder, name)
      await writeFile(file, `\n  ${values[name]} \n`)
      const { [name]: _given, ...environment }: Record<string, string | undefined> = { ...beside, ...others }
      expect(readConfig({ ...environment, [`${name}_FILE`]: file })).toEqual(
        readConfig({ ...environment, [name]: values[name] }),
      )
    },
  )

  test('causes a clear error if both variables are set, if the file is missing, unreadable or empty, or if the value is invalid', async () => {
    const [file, empty] = [join(folder, 'key'), join(folder, 'empty')]
    await writeFile(file, 'short-secret')
    await writeFile(empty, ' \n')
    expect(faultsOf({ ADMIN_API_KEY: 'k'.repeat(24), ADMIN_API_KEY_FILE: file })).toEqual([
      'ADMIN_API_KEY and ADMIN_API_KEY_FILE are both set: set only one of them',
    ])
    expect(faultsOf({ ADMIN_API_KEY_FILE: '/no/such/file' })).toEqual([
      'ADMIN_API_KEY_FILE names a file that cannot be read (ENOENT): "/no/such/file"',
    ])
    expect(faultsOf({ ADMIN_API_KEY_FILE: folder })[0]).toContain('cannot be read (EISDIR)')
    expect(faultsOf({ ADMIN_API_KEY_FILE: empty })).toEqual([`ADMIN_API_KEY_FILE names an empty file: "${empty}"`])
    expect(faultsOf({ ADMIN_API_KEY_FILE: file })[0]).toMatch(/^ADMIN_API_KEY must be one or two comma-separated keys/)
    expect(faultsOf({ ADMIN_API_KEY_FILE: file })[0]).not.toContain('short-secret')
  })
})

describe('ENCRYPTION_KEY', () => {
  const bytes = new Uint8Array(32).map((_, i) => 255 - i)
  const given = (text: string) => readConfig({ ENCRYPTION_KEY: text }).encryptionKeys

  test('is one or more keys of 32 bytes in base64 or hex', () => {
    const buffer = Buffer.from(bytes)
    for (const form of ['base64', 'base64url', 'hex'] as const) expect(given(buffer.toString(form))).toEqual([bytes])
    expect(given(buffer.toString('hex').toUpperCase())).toEqual([bytes])
    expect(given(`${buffer.toString('hex')}, ${buffer.toString('base64')}`)).toEqual([bytes, bytes])
  })

  test.each([
    'short',
    'ab'.repeat(31),
    'ab'.repeat(33),
    'k'.repeat(42),
    'k'.repeat(45),
    `${'k'.repeat(42)}!=`,
    `${'ab'.repeat(32)},`,
    `${'ab'.repeat(32)},short`,
  ])('must not be %s, and is never shown', (text) => {
    expect(faultsOf({ ENCRYPTION_KEY: text })).toEqual([
      'ENCRYPTION_KEY must be one or more comma-separated keys of 32 bytes in base64 or hex. Create one with openssl rand -base64 32',
    ])
  })

  test('is created once in a file next to the embedded database, readable only by its owner', async () => {
    const config = { encryptionKeys: undefined, databaseUrl: undefined, dataDir: join(folder, 'data') }
    const keys = await Promise.all([encryptionKeysOf(config), encryptionKeysOf(config)])
    expect(keys[0]!.map(({ length }) => length)).toEqual([32])
    expect([keys[1], await encryptionKeysOf(config)]).toEqual([keys[0], keys[0]])
    const file = join(config.dataDir, 'encryption.key')
    expect(await readdir(config.dataDir)).toEqual(['encryption.key'])
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(given((await readFile(file, 'utf8')).trim())).toEqual(keys[0])
    await writeFile(file, `${Buffer.from(bytes).toString('base64')}\n${await readFile(file, 'utf8')}`)
    expect(await encryptionKeysOf(config)).toEqual([bytes, keys[0]![0]])
    await writeFile(file, 'broken')
    await expect(encryptionKeysOf(config)).rejects.toThrow(/encryption\.key must be one or more .+ keys of 32 bytes/)
  })

  test('must be set with DATABASE_URL', async () => {
    const config = { encryptionKeys: undefined, databaseUrl: 'postgres://x', dataDir: join(folder, 'none') }
    await expect(encryptionKeysOf(config)).rejects.toThrow(/^ENCRYPTION_KEY is required with DATABASE_URL/)
    await expect(encryptionKeysOf(config)).rejects.toBeInstanceOf(ConfigError)
    expect(await encryptionKeysOf({ ...config, encryptionKeys: [bytes] })).toEqual([bytes])
  })
})
