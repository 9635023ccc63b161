/** Migration files: statements inside or outside a transaction, and the end of each statement. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseMigration, splitStatements } from '../../src/db/migration-file.ts'

const OUTSIDE = '-- migrate: outside-transaction\n'
const textsOf = (text: string) => splitStatements(text).map((statement) => statement.text)
const parse = (text: string) => parseMigration('0001_test.sql', text)

describe('splitStatements', () => {
  test.each([
    ['a string', "select 'a;b''c;'", 'select 2'],
    ['an escape string', String.raw`select e'a\';b', E'\\'`, 'select 2'],
    ['a plain string that ends in a backslash', String.raw`select 'a\'`, "select ';'"],
    ['a type before a string', "select date'2026-01-01'", String.raw`select '\;'`],
    ['an identifier', 'select 1 as "a;""b;"', 'select 2'],
    ['a dollar quote', "do $$ begin; it's; end $$", 'select 2'],
    ['a tagged dollar quote', 'do $a$ begin; $$;$b$; end $a$', 'select 2'],
    ['dollar signs in an identifier', 'select a$b$ from c$b$', 'select 2'],
    ['parameters', 'update a set b = 1 where c = any($1) and d = $2', 'select 2'],
  ])('finds the end of a statement with %s', (_what, first, second) => {
    expect(textsOf(`${first};\n${second};\n`)).toEqual([first, second])
  })

  test('ignores semicolons in comments, and assigns comments to the statement that they precede or interrupt', () => {
    expect(splitStatements("-- It's; one\nselect 1;;\n/* it's; two */ select/**/2;\n-- The end;\n")).toEqual([
      { text: 'select 1', comments: ["-- It's; one"] },
      { text: 'select 2', comments: ["/* it's; two */", '/**/'] },
    ])
  })

  test.each(["select 'a;", 'select "a;', 'select 1 /* a;', 'do $a$ begin; $b$;', 'select /* /* a */ ; */ 1'])(
    'refuses the unterminated %s',
    (text) => {
      expect(() => splitStatements(text)).toThrow(/Unterminated/)
    },
  )

  test('finds the end of every statement with any strings', () => {
    const quoted = fc.string().map((text) => `'${text.replaceAll("'", "''")}'`)
    const dollars = fc.string().map((text) => `$q$${text.replaceAll('$', '')}$q$`)
    fc.assert(
      fc.property(fc.array(fc.oneof(quoted, dollars), { minLength: 1 }), (literals) => {
        const statements = literals.map((literal) => `select ${literal}`)
        expect(textsOf(statements.join(';\n'))).toEqual(statements)
      }),
    )
  })
})

describe('a file', () => {
  test('is one transaction if its first line is not the directive `outside-transaction`', () => {
    const text = "-- Adds it.\nalter table job add column a text;\nselect '-- migrate';\n"
    expect(parse(text)).toEqual({ name: '0001_test.sql', text })
  })

  test('is a list of repeatable steps outside a transaction if its first line is the directive', () => {
    const { steps } = parse(`${OUTSIDE}-- What and why.
      drop index concurrently if exists a_idx;
      create unique index concurrently if not exists b_key on job (id) where state = 'active';
      -- migrate: backfill table=job key=id batch=500 quiet
      update job set a = 1 where id = any($1);
      alter table job validate constraint job_a_check;
      analyze job;
      alter table job add column if not exists a text[];
      create or replace trigger a before update of b on job for each row when (old.b <> new.b) execute function c();`)
    expect(steps!.map(({ text: _, ...step }) => step)).toEqual([
      { kind: 'drop-index', index: 'a_idx' },
      { kind: 'index', index: 'b_key', table: 'job' },
      { kind: 'backfill', table: 'job', key: 'id', batch: 500, isQuiet: true },
      { kind: 'scan', table: 'job' },
      { kind: 'scan', table: 'job' },
      { kind: 'definition', table: 'job' },
      { kind: 'definition', table: 'job' },
    ])
    expect(steps![2]!.text).toBe('update job set a = 1 where id = any($1)')
  })

  test.each([
    ['a backfill inside a transaction', '-- migrate: backfill table=job key=id batch=500\nupdate job set a = 1;'],
    ['the directive below the first line', `-- What and why.\n${OUTSIDE}select 1;`],
    ['an unknown directive', `${OUTSIDE}-- migrate: backfil table=job\nupdate job set a = 1 where id = any($1);`],
    ['a batch of size zero', `${OUTSIDE}-- migrate: backfill table=job key=id batch=0\nupdate job set a = any($1);`],
    ['a backfill of all rows', `${OUTSIDE}-- migrate: backfill table=job key=id batch=9\nupdate job set a = 1;`],
    ['an index that is not repeatable', `${OUTSIDE}create index concurrently a_idx on job (id);`],
    ['an index that blocks writes', `${OUTSIDE}create index if not exists a_idx on job (id);`],
    ['a column with a default', `${OUTSIDE}alter table job add column if not exists a text default gen_random_uuid();`],
    ['a statement that is not repeatable', `${OUTSIDE}alter table job add column a text;`],
  ])('is refused with %s', (_what, text) => {
    expect(() => parse(text)).toThrow(/migrate|repeatable|directive|keys/)
  })
})
