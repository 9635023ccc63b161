import { defineFeature } from '../feature.ts'
import { registerSharePictures } from './share-pictures.pages.ts'

/** Pictures that other websites show with links to the board. */
export const sharePictures = defineFeature({
  name: 'share-pictures',
  isOptional: true,
  open: (kit) => ({ pages: (pages) => registerSharePictures(pages, kit) }),
})
