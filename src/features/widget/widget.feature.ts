import { defineFeature } from '../feature.ts'
import { registerWidgetPage } from './widget.pages.ts'
import { registerWidgetScript } from './widget.routes.ts'

/** The widget that shows jobs on other websites, with a publishable key. */
export const widget = defineFeature({
  name: 'widget',
  navigation: [{ menu: 'console', href: '/console/widget', text: 'widget.title', rank: 50 }],
  open: (kit) => ({
    pages: (pages) => registerWidgetPage(pages, kit),
    root: (root) => registerWidgetScript(root, kit),
  }),
})
