import { defineFeature } from '../feature.ts'
import { invitationMails } from './teams.mails.ts'
import { registerInvitationPages, registerTeamPages } from './teams.pages.ts'
import { teamsPersonalData } from './teams.personal-data.ts'
import { registerMembers } from './teams.routes.ts'
import { MemberSchema } from './teams.schemas.ts'

/** The members of employer accounts. */
export const teams = defineFeature({
  name: 'teams',
  personalColumns: {
    member: {
      columns: ['name', 'email', 'email_key'],
      purpose: 'lets several people work with an employer account, and names who did what',
      until: 'the member is removed, or the account is closed',
    },
  },
  navigation: [{ menu: 'employer', href: '/employer/team', text: 'teams.title', rank: 55 }],
  schemas: [MemberSchema],
  examples: {
    created_by: { member_id: 'mem_01k9z6q4x0e8wbmt5n7rhv2c3d', name: 'Rosa Whitlock' },
    'Member.name': 'Rosa Whitlock',
    'Member.id': 'mem_01k9z6q4x0e8wbmt5n7rhv2c3d',
    'Member.role': 'recruiter',
  },
  async open(kit) {
    const secret = await kit.secretOf('invitations')
    return {
      api: (v1) => registerMembers(v1, kit),
      pages(pages) {
        registerInvitationPages(pages, kit, secret)
        registerTeamPages(pages, kit)
      },
      personalData: teamsPersonalData,
      mails: { invitation: invitationMails(kit.settings.origin, kit.brand.now, secret) },
    }
  },
})
