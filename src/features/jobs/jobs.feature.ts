import { join } from 'node:path'
import type { Task } from '../../background/loop.ts'
import type { Board } from '../../search/memory/board.ts'
import { defineFeature } from '../feature.ts'
import { listPaidProducts, paidRunConsumer } from '../payments/index.ts'
import { archiveJobs } from './jobs.archive.ts'
import type { BoardLists } from './jobs.lists.ts'
import { registerJobPages } from './jobs.pages.ts'
import { registerJobs } from './jobs.routes.ts'
import {
  DeletedJobSchema,
  JobCreateSchema,
  JobDetailSchema,
  JobListSchema,
  NamedCountSchema,
  OwnJobSchema,
} from './jobs.schemas.ts'
import type { NoteView } from './jobs.service.ts'
import { expirySweeper, jobPlacer, jobWords } from './jobs.tasks.ts'
import { registerOwnJobPages } from './own-jobs.pages.ts'

/** Jobs: the public board, and the employer's side from creation to deletion. */
export const jobs = defineFeature({
  name: 'jobs',
  schemas: [DeletedJobSchema, JobCreateSchema, JobDetailSchema, JobListSchema, NamedCountSchema, OwnJobSchema],
  navigation: [
    { menu: 'visitor', href: '/jobs', text: 'Jobs', rank: 10 },
    { menu: 'candidate', href: '/jobs', text: 'Jobs', rank: 10 },
    { menu: 'footer', href: '/jobs', text: 'Jobs', rank: 10 },
    { menu: 'employer', href: '/employer/jobs', text: 'Your jobs', rank: 10 },
    { menu: 'employer', href: '/jobs', text: 'Board', rank: 70 },
    { menu: 'integrator', href: '/jobs', text: 'Board', rank: 70 },
    { menu: 'admin', href: '/jobs', text: 'Board', rank: 70 },
  ],
  open(kit) {
    const { database, clock, settings, lists, board, retention, dataDir, provider } = kit
    const consumePaidRun = paidRunConsumer(provider)
    const noteView: NoteView = (job, by) => {
      for (const note of kit.collect('noteView')) note(job, by)
    }
    return {
      api: (v1) => registerJobs(v1, { ...kit, consumePaidRun, noteView }),
      pages(pages, limiter) {
        const beside = { besideListed: kit.collect('besideListed'), besideOne: kit.collect('besideOne') }
        registerJobPages(pages, { ...kit, ...beside, noteView, limiter })
        registerOwnJobPages(pages, { ...kit, consumePaidRun, listPaidProducts, isFree: provider.isFree })
      },
      tasks: [
        expirySweeper(database, clock, settings),
        jobPlacer(database),
        jobWords(database),
        boardFollower(board),
        frequentWords(lists),
      ],
      retention: [
        {
          name: 'closed-jobs',
          days: retention.closedJobs,
          tables: ['job'],
          purge: (before) => archiveJobs(database, join(dataDir, 'archive'), before),
        },
      ],
    }
  },
})

/** Loads the board at startup, and keeps it current between requests. */
const boardFollower = (board: Board): Task => ({
  name: 'board',
  everyMs: 1_000,
  runsIn: 'http',
  async once() {
    await board.refresh()
    return 'done'
  },
})

const frequentWords = (lists: BoardLists): Task => ({
  name: 'frequent-words',
  everyMs: 10_000,
  runsIn: 'http',
  async once(ending) {
    await lists.learnWords(ending)
    return 'done'
  },
})
