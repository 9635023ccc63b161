import { periodicTask, type Task } from '../../background/loop.ts'
import type { Board } from '../../search/memory/board.ts'
import { defineFeature } from '../feature.ts'
import { NamedCountSchema, type NoteView } from '../jobs/index.ts'
import type { BoardLists } from './board.lists.ts'
import { registerBoardPages } from './board.pages.ts'
import { registerBoard } from './board.routes.ts'

/** The public job board: the list of jobs, each job's page, and feeds. */
export const board = defineFeature({
  name: 'board',
  tag: 'Jobs',
  schemas: [NamedCountSchema],
  examples: {
    category: 'powertrain-battery',
    distance_miles: 12.4,
    location: 'Gothenburg, Sweden',
    'listJobs.location': 'Gothenburg, Sweden',
    'listJobs.search': 'battery',
    'NamedCount.name': 'Powertrain and battery',
    'NamedCount.slug': 'powertrain-battery',
    'Problem.instance': '/v1/jobs',
    'sort.directions': ['desc'],
    'sort.fields': ['posted_at'],
  },
  navigation: [
    { menu: 'visitor', href: '/jobs', text: 'menu.jobs', rank: 10 },
    { menu: 'board', href: '/jobs', text: 'menu.jobs', rank: 10 },
    { menu: 'footer', href: '/jobs', text: 'menu.jobs', rank: 10 },
  ],
  open(kit) {
    const noteView: NoteView = (job, by) => {
      for (const note of kit.collect('noteView')) note(job, by)
    }
    return {
      api: (v1) => registerBoard(v1, kit, noteView),
      pages: (pages, limiter) => registerBoardPages(pages, kit, noteView, limiter),
      tasks: [boardFollower(kit.board), boardWords(kit.lists), boardSnapshot(kit.board)],
    }
  },
})

/** Loads the board at startup and keeps it up to date between requests. */
const boardFollower = (board: Board): Task => ({
  ...periodicTask('board', 1_000, () => board.refresh()),
  runsIn: 'http',
})

/** Loads the index of words after the board itself, and rebuilds it after many jobs have changed. */
const boardWords = (lists: BoardLists): Task => ({
  ...periodicTask('board-words', 10_000, (ending) => lists.prepare(ending)),
  runsIn: 'http',
})

/** Writes the snapshot from which a starting process loads the board. */
const boardSnapshot = (board: Board): Task => ({
  ...periodicTask('board-snapshot', 60_000, () => board.save()),
  runsIn: 'http',
})
