/**
 * A sample event of each type, in the format that receivers get. Together, the samples tell a short fictional story.
 */
import type { EventData, EventEnvelope, EventType } from './catalogue.ts'

const suffix = (last: string) => `01k9z6q4x0e8wbmt5n7rhv2c${last}`
const jobId = `job_${suffix('3d')}`
const employerId = `emp_${suffix('1a')}`

const job: EventData['job.created']['job'] = {
  id: jobId,
  title: 'Battery engineer',
  company: 'Voltaire Vans',
  location: 'Gothenburg, Sweden',
  description: 'Design battery packs for electric vans.',
  salary: { min: 52_000, max: 68_000, currency: 'EUR', period: 'year' },
  category: 'powertrain-battery',
  type: 'full-time',
  remote: false,
  posted_at: '2026-03-02T09:15:00.000Z',
  expires_at: '2026-04-01T09:15:00.000Z',
  is_featured: false,
  application_url: `https://board.example/v1/candidates/jobs/${jobId}/apply`,
  employer_id: employerId,
  skills: ['CAN', 'MATLAB'],
  experience_level: 'mid',
  language: 'en',
  workplace: 'on_site',
  locations: ['Gothenburg, Sweden'],
  requirements: ['Three years with lithium cells'],
  benefits: ['A van of your own'],
  is_urgent: false,
  is_highlighted: false,
  is_active: true,
  publish_at: null,
  custom_questions: [{ id: 'license', label: 'Are you licensed to drive?', type: 'boolean', required: true }],
}
const inactive = { ...job, posted_at: '2026-03-02T09:10:00.000Z', expires_at: null, is_active: false }

const candidate = { id: `cand_${suffix('2b')}`, name: 'Ada Brandt', email: 'ada.brandt@mail.example' }
const application: EventData['application.submitted']['application'] = {
  id: `app_${suffix('4e')}`,
  job: { id: jobId, title: job.title, company: job.company },
  candidate,
  status: 'pending',
  applied_at: '2026-03-03T18:42:07.120Z',
}
const employer: EventData['employer.registered']['employer'] = {
  id: employerId,
  name: 'Voltaire Vans',
  location: 'Gothenburg, Sweden',
  website: 'https://voltaire.example',
  logo_url: null,
  cover_url: null,
  is_verified: false,
  verified_domain: null,
  description: 'Electric vans for the last mile.',
  industry: 'Vehicle makers',
  employee_count: 240,
  open_positions: 0,
  created_at: '2026-03-02T09:00:00.000Z',
  updated_at: '2026-03-02T09:00:00.000Z',
}

const told: { [T in EventType]: { at: string; data: EventData[T] } } = {
  'job.created': { at: '2026-03-02T09:10:00.000Z', data: { job: inactive } },
  'job.updated': {
    at: '2026-03-02T09:15:00.000Z',
    data: { job, changed_fields: ['is_active'], previous: { is_active: false } },
  },
  'job.expired': { at: '2026-04-01T09:15:12.004Z', data: { job: { ...job, is_active: false } } },
  'job.deleted': {
    at: '2026-04-02T08:00:00.000Z',
    data: {
      job: {
        id: jobId,
        title: job.title,
        company: job.company,
        employer_id: employerId,
        deleted_at: '2026-04-02T08:00:00.000Z',
      },
    },
  },
  'application.submitted': { at: application.applied_at, data: { application } },
  'application.status_updated': {
    at: '2026-03-05T10:30:00.000Z',
    data: {
      application: { ...application, status: 'contacted', updated_at: '2026-03-05T10:30:00.000Z' },
      previous_status: 'pending',
    },
  },
  'application.withdrawn': {
    at: '2026-03-09T07:05:30.500Z',
    data: { application: { ...application, status: 'contacted', withdrawn_at: '2026-03-09T07:05:30.500Z' } },
  },
  'candidate.registered': {
    at: '2026-03-03T18:30:00.000Z',
    data: { candidate: { ...candidate, created_at: '2026-03-03T18:30:00.000Z' } },
  },
  'candidate.profile_updated': {
    at: '2026-03-03T18:36:45.000Z',
    data: {
      candidate: { ...candidate, updated_at: '2026-03-03T18:36:45.000Z' },
      changed_fields: ['headline', 'skills'],
    },
  },
  'employer.registered': { at: employer.created_at, data: { employer } },
  'employer.profile_updated': {
    at: '2026-03-04T12:00:00.000Z',
    data: {
      employer: { ...employer, employee_count: 245, open_positions: 1, updated_at: '2026-03-04T12:00:00.000Z' },
      changed_fields: ['employee_count'],
    },
  },
}

export function sampleEvent<T extends EventType>(type: T): EventEnvelope<T> {
  const { at, data } = told[type]
  return { id: `evt_${suffix('9s')}`, type, created_at: at, data }
}
