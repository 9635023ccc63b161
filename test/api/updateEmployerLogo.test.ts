import { expectStatus } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { pictureUploads } from '../support/picture-uploads.ts'

describeOperation('updateEmployerLogo', ({ board, status }) => {
  const uploads = pictureUploads(board, 'logo')
  const other = { logo_url: 'https://voltaire.example/logo.png' }

  status(200, () =>
    uploads.servesFile('the profile gets another logo URL', async (key) =>
      expectStatus(await board.put('/v1/employers/profile', key, other), 200),
    ),
  )
  status(408, uploads.refusesSlowBody)
  status(412, uploads.refusesOutdatedTag)
  status(413, uploads.refusesLargeFile)
  status(415, uploads.refusesOtherTypes)
  status(422, uploads.refusesBadPictures)
})
