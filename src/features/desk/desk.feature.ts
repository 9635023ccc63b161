import { inBatches } from '../../background/retention.ts'
import { purgeOperatorActions } from '../../db/operator-actions.ts'
import { defineFeature } from '../feature.ts'
import { registerDeskPages } from './desk.pages.ts'
import { registerDeskSearchPage } from './desk-search.pages.ts'
import { registerStaffActivityPage } from './staff-activity.pages.ts'

/** The admin area's pages for the overview, the search, queues, storage and activity. */
export const desk = defineFeature({
  name: 'desk',
  isOptional: true,
  navigation: [
    { menu: 'area', href: '/desk', text: 'layout.admin_area', rank: 30 },
    { menu: 'desk', href: '/desk', text: 'menu.overview', rank: 10 },
    { menu: 'desk', href: '/desk/queues', text: 'menu.queues', rank: 70, group: 'menu.operations' },
    { menu: 'desk', href: '/desk/storage', text: 'menu.storage', rank: 90, group: 'menu.operations' },
    { menu: 'desk', href: '/desk/activity', text: 'desk.activity', rank: 95, group: 'menu.operations' },
  ],
  open(kit) {
    const { database, retention } = kit
    return {
      pages(pages) {
        registerDeskPages(pages, kit)
        registerDeskSearchPage(pages, kit)
        registerStaffActivityPage(pages, kit)
      },
      retention: [
        {
          name: 'activity',
          days: retention.activity,
          tables: ['operator_action'],
          purge: inBatches((before, limit) => database.inStatement((tx) => purgeOperatorActions(tx, before, limit))),
        },
        { name: 'idempotent-answers', days: 1, tables: ['idempotent_answer'] },
      ],
    }
  },
})
