/** Personal data of members: the teams that a candidate's email address belongs to, or was invited to. */
import type { PersonalData } from '../feature.ts'
import { presentMember } from './teams.present.ts'
import { listMembershipsOf } from './teams.queries.ts'

export const teamsPersonalData: PersonalData = {
  name: 'memberships',

  async export(reader, accountId) {
    const memberships = await listMembershipsOf(reader, accountId)
    return memberships.map(({ employer, ...member }) => ({ employer, ...presentMember(member) }))
  },

  // A membership belongs to the employer's account, whose owners can end it.
  async erase() {},
}
