/** With 100 people who are each a member of 100 employers, sign-in and the lists of members must not scan a table. */
import { describe, expect, test } from 'vitest'
import type { Db, Tx } from '../../src/db/database.ts'
import {
  deleteSessionsInto,
  deleteSessionsOfAddress,
  findLink,
  listSessionsByToken,
} from '../../src/features/sessions/sessions.queries.ts'
import { findMemberByEmail, listMembers, listMembershipsOf } from '../../src/features/teams/teams.queries.ts'
import { employerSchemas } from '../../src/features/teams/teams.schemas.ts'
import { addFirstOwners, listAllMembers, listIdentities, passAddressOn } from '../../src/features/teams/teams.sql.ts'
import { parseListQuery } from '../../src/lists/query.ts'
import { nodesOf, planners, plansOf, useFilledDatabase } from '../support/plans.ts'

const secret = new Uint8Array(32)
const now = new Date()

/** 10,000 candidates, and 200 employers with 50 members each. Each of the 100 people has ten sessions and one link. */
const FILL = `
  insert into account (id, kind, name, email, email_key, email_proved_key, created_at)
  select 'cand_' || lpad(n::text, 8, '0'), 'candidate', 'Candidate ' || n, n || '@mail.example', n || '@mail.example',
    n || '@mail.example', now()
  from generate_series(0, 9999) as n;
  insert into account (id, kind, name, email, email_key, created_at)
  select 'emp_' || lpad(n::text, 8, '0'), 'employer', 'Company ' || n, n || '@work.example', n || '@work.example', now()
  from generate_series(0, 199) as n;
  insert into member (id, account_id, email, email_key, role, invited_at, joined_at, last_active)
  select 'mem_' || lpad(n::text, 8, '0'), 'emp_' || lpad((n % 200)::text, 8, '0'), n / 100 || '@mail.example',
    n / 100 || '@mail.example', (array['owner', 'recruiter', 'viewer'])[1 + n % 3], now(),
    case when n % 10 > 0 then now() - n * interval '1 minute' end, now() - n * interval '1 minute'
  from generate_series(0, 9999) as n;
  insert into session (id, token_hash, account_id, created_at, last_seen_at, expires_at, member_id, email_key)
  select 'ses_' || lpad(n::text, 8, '0'), 'hash' || n, 'emp_' || lpad((n % 200)::text, 8, '0'), now(), now(),
    now() + interval '14 days', 'mem_' || lpad(n::text, 8, '0'), n / 100 || '@mail.example'
  from generate_series(0, 9999, 10) as n;
  insert into sign_in_link (token_hash, account_id, member_id, expires_at)
  select 'link' || n, 'emp_' || lpad((n % 200)::text, 8, '0'), 'mem_' || lpad(n::text, 8, '0'), now() + interval '10 minutes'
  from generate_series(0, 9999, 100) as n;`

const [account, person] = ['emp_00000007', '7@mail.example']
const members = (raw: Record<string, string>) => (db: Db) => {
  const { query, faults } = parseListQuery(employerSchemas.memberList, { limit: '20', ...raw }, secret)
  expect(faults).toEqual([])
  return listMembers(db, account, query)
}

const statements: Record<string, (db: Db & Tx) => Promise<unknown>> = {
  'the list of members': members({}),
  'the list of members by role': members({ role: 'owner' }),
  'the list of members by activity': members({ sort: 'last_active', order: 'desc' }),
  'the page of the team': (db) => listAllMembers(db, account),
  'the search for an invited email address': (db) => findMemberByEmail(db, account, person),
  'the accounts of an email address': (db) => listIdentities(db, person),
  'the first owners of an email address': (db) => addFirstOwners(db, person),
  'the email address of a link': (db) => findLink(db, 'link700', now),
  'the session of a request': (db) => listSessionsByToken(db, ['hash710', 'hash720'], now),
  'the sessions of an email address': (db) => deleteSessionsOfAddress(db, person),
  'the sessions that could switch to an account': (db) => deleteSessionsInto(db, account),
  'the memberships in an export': (db) => listMembershipsOf(db, 'cand_00000007'),
  'the email address of an account after a member leaves': (db) => passAddressOn(db, account, ['7@work.example'], now),
}

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [FILL])

  test.each(Object.entries(statements))('%s: no statement reads a whole table', async (_name, ask) => {
    const plans = await plansOf(used.database, ask, [{ total: 0, key_0: null }])
    const scans = plans.flatMap(nodesOf).filter((node) => node['Node Type'] === 'Seq Scan')
    expect(scans.map((node) => node['Relation Name'])).toEqual([])
  })
})
