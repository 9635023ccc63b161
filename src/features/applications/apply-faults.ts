/** Fault messages for the application form. Unlike the API's messages, they do not name members of the body. */
import type { BodyFault } from '../../lib/errors.ts'
import { t } from '../../locale/messages.ts'
import type { CustomQuestion } from '../jobs/index.ts'

export function inPlainWords({ rule, ...fault }: BodyFault, questions: readonly CustomQuestion[]): BodyFault {
  const [, member, token] = fault.pointer.split('/')
  if (member === 'cover_letter') {
    const detail = t(fault.code === 'too_long' ? 'applications.shorten_letter' : 'applications.write_letter')
    return { ...fault, detail }
  }
  if (member === 'resume_id') return { ...fault, detail: t('applications.resume_gone') }
  const question = member === 'custom_questions' && questions.find(({ id }) => id === token)
  if (!question) return { ...fault, ...(rule && { rule }) }
  const { label, type } = question
  const detail =
    fault.code === 'required'
      ? t('applications.answer_required', { question: label })
      : t('applications.answer_wrong', { question: label, request: t(`applications.answer_${type}`) })
  return { ...fault, detail }
}

/** Makes the page show the detail of a fault that has neither a rule nor words. */
export const worded = (fault: BodyFault): BodyFault =>
  fault.rule || fault.words ? fault : { ...fault, words: fault.detail }
