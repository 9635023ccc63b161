import type { DemoKeys } from './seed-demo.ts'

/** What a newcomer sees first: the keys, once, and a request to try. */
export function printTrial(origin: string, keys: DemoKeys | undefined): void {
  const lines = [`Job board at ${origin}/v1, reference at ${origin}/v1/docs`]
  if (keys) {
    lines.push(
      '',
      `Demo board: ${keys.jobs} jobs. These API keys are shown only now:`,
      `  operator                 ${keys.operator}`,
      `  employer  ${keys.employer.name.padEnd(14).slice(0, 14)} ${keys.employer.key}`,
      `  candidate ${keys.candidate.name.padEnd(14).slice(0, 14)} ${keys.candidate.key}`,
      '',
      'Try:',
      `  curl -s '${origin}/v1/jobs?search=battery&limit=3' -H 'Authorization: Bearer ${keys.candidate.key}'`,
    )
  } else {
    lines.push(
      'The keys were shown at the first start. A new one, with this stopped:',
      '  npm run cli -- keys create --kind admin --name "My key"',
    )
  }
  console.log(`\n${lines.join('\n')}\n`)
}
