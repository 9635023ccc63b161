/** Job reports from readers of the demo board, on which the operator has to decide. */

interface DemoReport {
  jobTitle: string
  reason: 'spam' | 'fraud' | 'discrimination' | 'expired' | 'wrong_information' | 'other'
  message: string
  reportedDaysAgo: number
}

export const demoReports: readonly DemoReport[] = [
  {
    jobTitle: 'Training Coordinator, New Plant Intake',
    reason: 'expired',
    message: 'I called on Monday. They filled the position last week.',
    reportedDaysAgo: 2,
  },
  {
    jobTitle: 'Driver Support Adviser (nights, part-time)',
    reason: 'wrong_information',
    message: 'It says part-time, but I was told forty hours when I asked.',
    reportedDaysAgo: 1,
  },
  {
    jobTitle: 'Driver Support Adviser (nights, part-time)',
    reason: 'other',
    message: 'The link to the shift plan in the description is broken.',
    reportedDaysAgo: 0,
  },
]
