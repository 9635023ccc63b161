import { expectStatus } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { pictureUploads } from '../support/picture-uploads.ts'
import { png } from '../support/pictures.ts'

describeOperation('updateEmployerCover', ({ board, status }) => {
  const uploads = pictureUploads(board, 'cover')

  status(200, () =>
    uploads.servesFile('another cover replaces it', async (key) =>
      expectStatus(await uploads.put(key, png(65, 32)), 200),
    ),
  )
  status(408, uploads.refusesSlowBody)
  status(412, uploads.refusesOutdatedTag)
  status(413, uploads.refusesLargeFile)
  status(415, uploads.refusesOtherTypes)
  status(422, uploads.refusesBadPictures)
})
