import { type Static, Type } from 'typebox'
import { Choice, Id, inDocument, Nullable, Resource, Strict, Text, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

export const reportReasons = ['spam', 'fraud', 'discrimination', 'expired', 'wrong_information', 'other'] as const
export type ReportReason = (typeof reportReasons)[number]

const reportStatuses = ['open', 'upheld', 'dismissed'] as const
export type ReportStatus = (typeof reportStatuses)[number]

const message = Nullable(Text(1, 2_000, 'Description of the problem. Required if reason is other.'))

export const ReportBody = Strict(
  { reason: Choice(reportReasons), message: Type.Optional(message) },
  inDocument({
    anyOf: [
      { properties: { reason: { enum: reportReasons.filter((reason) => reason !== 'other') } } },
      { properties: { message: { type: 'string' } }, required: ['message'] },
    ],
  }),
)
export type ReportBody = Static<typeof ReportBody>

export const UpholdBody = Strict({ reason: Text(1, 500, 'Shown to the employer.') })
export const DismissBody = Strict({ note: Type.Optional(Nullable(Text(1, 500, 'Visible only to admins.'))) })

export const ReportParams = Strict({ id: Id('jobReport') })

const members = {
  id: Type.String(),
  job_id: Type.String(),
  reason: Choice(reportReasons),
  message: Nullable(Type.String()),
  status: Choice(reportStatuses),
  created_at: Timestamp(),
}

export const JobReportSchema = Resource('JobReport', members)
export type JobReport = Static<typeof JobReportSchema>

export const JobReportDetailSchema = Resource('JobReportOfOperator', {
  ...members,
  job: Strict({
    title: Type.String(),
    company: Type.String(),
    employer_id: Type.String(),
    removed_at: Nullable(Timestamp('When an admin removed the job.')),
  }),
  reporter_id: Nullable(
    Type.String({
      description:
        'ID of the reporting account; null for visitors, erased candidates, and deleted admins and integrators.',
    }),
  ),
  note: Nullable(Type.String({ description: "The reason shown to the employer, or the admin's note." })),
  decided_at: Nullable(Timestamp()),
  decided_by: Nullable(Type.String({ description: 'ID of the admin account that made the decision.' })),
})
export type JobReportDetail = Static<typeof JobReportDetailSchema>

export const reportList = {
  name: 'admin/reports',
  filters: {
    status: parameter.choice('Status of the report.', reportStatuses),
    reason: parameter.choice('Why the job was reported.', reportReasons),
    job_id: parameter.text('ID of the reported job.'),
    employer_id: parameter.text("ID of the reported job's employer."),
    created_at: parameter.time('When the job was reported.'),
  },
  sorts: { created_at: {}, decided_at: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
