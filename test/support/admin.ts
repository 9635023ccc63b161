/** Shared tests of admin operations. */
import type { Board } from './board.ts'
import {
  type RequestOf,
  refusesBadKeys,
  refusesKinds,
  refusesMissingScope,
  refusesUnknownParameters,
  unreadableBodies,
} from './operation.ts'

/** Tests for the requests that every admin operation refuses, by status. Call each in the `describe` of its status. */
export const refusalsOfAdmin = {
  /** For operations without a body. */
  query: (board: Board, request: RequestOf) => refusesUnknownParameters(board, 'admin', request),
  400: (board: Board, request: RequestOf) => {
    unreadableBodies[400](board, 'admin', request)
    refusesUnknownParameters(board, 'admin', request)
  },
  401: (board: Board, request: RequestOf) => refusesBadKeys(board, 'admin', request),
  403: (board: Board, request: RequestOf, scope: 'admin:read' | 'admin:write') => {
    refusesKinds(board, ['candidate', 'employer', 'integrator'], 'admin_account_required', request)
    refusesMissingScope(board, 'admin', scope, request)
  },
  413: (board: Board, request: RequestOf) => unreadableBodies[413](board, 'admin', request),
  415: (board: Board, request: RequestOf) => unreadableBodies[415](board, 'admin', request),
  422: (board: Board, request: RequestOf) => unreadableBodies[422](board, 'admin', request),
}
