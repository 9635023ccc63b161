import { defineFeature } from '../feature.ts'
import { employerTeam, staffTeam } from './teams.kinds.ts'
import { invitationMails } from './teams.mails.ts'
import { registerInvitationPages, registerTeamPages } from './teams.pages.ts'
import { teamsPersonalData } from './teams.personal-data.ts'
import { registerMembers } from './teams.routes.ts'

/** The members of employer accounts, and the board's staff. */
export const teams = defineFeature({
  name: 'teams',
  tag: 'Teams',
  personalColumns: {
    member: {
      columns: ['name', 'email', 'email_key', 'language'],
      purpose:
        'lets several people work with an employer account or run the board, shows who did what, and addresses emails',
      until: 'the member is removed, or the account is closed',
    },
  },
  navigation: [
    { menu: 'employer', href: '/employer/team', text: 'teams.title', rank: 55 },
    { menu: 'desk', href: '/desk/staff', text: 'teams.staff', rank: 97, group: 'menu.setup' },
  ],
  schemas: [employerTeam.schemas.MemberSchema, staffTeam.schemas.MemberSchema],
  examples: {
    created_by: { member_id: 'mem_01k9z6q4x0e8wbmt5n7rhv2c3d', name: 'Rosa Whitlock' },
    'Member.name': 'Rosa Whitlock',
    'Member.id': 'mem_01k9z6q4x0e8wbmt5n7rhv2c3d',
    'Member.role': 'recruiter',
    'StaffMember.name': 'Rosa Whitlock',
    'StaffMember.id': 'mem_01k9z6q4x0e8wbmt5n7rhv2c3d',
    'StaffMember.role': 'moderator',
  },
  async open(kit) {
    const secret = await kit.secretOf('invitations')
    return {
      api(v1) {
        registerMembers(v1, kit, employerTeam)
        registerMembers(v1, kit, staffTeam)
      },
      pages(pages) {
        registerInvitationPages(pages, kit, secret)
        registerTeamPages(pages, kit, employerTeam)
        registerTeamPages(pages, kit, staffTeam)
      },
      personalData: teamsPersonalData,
      mails: { invitation: invitationMails(kit.settings.origin, kit.brand.now, secret) },
    }
  },
})
