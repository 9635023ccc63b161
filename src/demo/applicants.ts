/** Fictional applicants for the first demo employer's jobs, and the progress of their applications. */

export interface DemoStep {
  status: 'reviewed' | 'contacted' | 'rejected' | 'hired'
  /** The employer's private note. */
  reason?: string
  daysAgo: number
}

export interface DemoApplicant {
  first_name: string
  last_name: string
  headline: string
  location: string
  jobTitle: string
  coverLetter: string
  answers: Record<string, string | number>
  appliedDaysAgo: number
  steps: readonly DemoStep[]
}

const CLOSURES = 'Body Structures Engineer, Closures'
const CLUSTER = 'Interaction Designer, Instrument Cluster'
const DIRECTOR = 'Director of Vehicle Software Release'

/** An upgrade that the employer paid for. */
export const demoUpgrade = { jobTitle: CLUSTER, products: ['highlighted'], daysAgo: 9 }

export const demoApplicants: readonly DemoApplicant[] = [
  {
    first_name: 'Ines',
    last_name: 'Valtorta',
    headline: 'Body engineer, castings and closures',
    location: 'Torino, Italy',
    jobTitle: CLOSURES,
    coverLetter:
      'I took a one-piece side door casting through release and scrapped the first two hundred. I would scrap fewer today, and I can show you why on one page.',
    answers: {},
    appliedDaysAgo: 2.1,
    steps: [
      { status: 'reviewed', reason: 'Has taken a door casting from concept to release.', daysAgo: 1.4 },
      { status: 'contacted', reason: 'Rig hall visit agreed for Thursday.', daysAgo: 0.8 },
    ],
  },
  {
    first_name: 'Olle',
    last_name: 'Hjärtsjö',
    headline: 'CAE engineer who misses hardware',
    location: 'Jönköping, Sweden',
    jobTitle: CLOSURES,
    coverLetter:
      'I have spent nine years on fatigue models for other people’s parts. I live twenty minutes from your casting supplier.',
    answers: {},
    appliedDaysAgo: 1.2,
    steps: [],
  },
  {
    first_name: 'Maribel',
    last_name: 'Okoro-Lind',
    headline: 'Designer for things that beep',
    location: 'Malmö, Sweden',
    jobTitle: CLUSTER,
    coverLetter:
      'My portfolio opens with an infusion pump display that nurses refused to use, and what we changed. Range anxiety is a cousin of alarm fatigue.',
    answers: { portfolio_url: 'https://okorolind.example/work' },
    appliedDaysAgo: 8.2,
    steps: [
      { status: 'reviewed', daysAgo: 7.5 },
      { status: 'contacted', reason: 'Very good study plan. Simulator session booked.', daysAgo: 5.1 },
      { status: 'hired', reason: 'Starts in the new year.', daysAgo: 0.5 },
    ],
  },
  {
    first_name: 'Tobias',
    last_name: 'Wrengel',
    headline: 'App designer',
    location: 'Berlin, Germany',
    jobTitle: CLUSTER,
    coverLetter:
      'I have designed three banking apps and drive an electric estate. I have opinions about its charging screen.',
    answers: { portfolio_url: 'https://wrengel.example' },
    appliedDaysAgo: 6.6,
    steps: [
      { status: 'rejected', reason: 'Has only designed for phones. Keep in mind for the companion app.', daysAgo: 4.9 },
    ],
  },
  {
    first_name: 'Hanneke',
    last_name: 'de Roy',
    headline: 'Release lead, rail signalling',
    location: 'Utrecht, Netherlands',
    jobTitle: DIRECTOR,
    coverLetter:
      'Late trains were my whole job, and I mean real trains. I took a signalling release from a coin toss to eleven of twelve on time, by cancelling four meetings and retiring one tool.',
    answers: {},
    appliedDaysAgo: 12.3,
    steps: [
      {
        status: 'reviewed',
        reason: 'Has run releases for a regulated product at two sites. Ask for references last.',
        daysAgo: 9.7,
      },
    ],
  },
]
