/**
 * Line icons, drawn on a grid of 20 × 20 units. Icons never replace text: the text beside them has the same meaning.
 */
import { html } from './html.ts'

const icons = {
  alert: html`<path d="M5 13.5V9a5 5 0 0 1 10 0v4.5l1.5 1.5h-13ZM8.5 17.5h3"/>`,
  back: html`<path d="m12.5 5-5 5 5 5"/>`,
  bolt: html`<path d="M11 2.5 4.5 11.5H9l-.5 6L15.5 8.5H11Z"/>`,
  bookmark: html`<path d="M5.5 3h9v14L10 13.5 5.5 17Z"/>`,
  briefcase: html`<rect x="2.5" y="6" width="15" height="10.5" rx="1.5"/><path d="M7 6V4.5A1.5 1.5 0 0 1 8.5 3h3A1.5 1.5 0 0 1 13 4.5V6M2.5 10.5h15"/>`,
  building: html`<path d="M4 17.5v-14h7v14M11 8h5v9.5M2.5 17.5h15M6.5 6.5h2M6.5 9.5h2M6.5 12.5h2"/>`,
  calendar: html`<rect x="3" y="4.5" width="14" height="12.5" rx="1.5"/><path d="M3 8.5h14M7 2.5v3.5M13 2.5v3.5"/>`,
  check: html`<path d="m4 10.5 4 4 8-9"/>`,
  clock: html`<circle cx="10" cy="10" r="7.2"/><path d="M10 6v4l2.7 1.8"/>`,
  close: html`<path d="m5 5 10 10M15 5 5 15"/>`,
  down: html`<path d="m5 7.5 5 5 5-5"/>`,
  envelope: html`<rect x="2.5" y="4.5" width="15" height="11" rx="1.5"/><path d="m3 5.5 7 5.5 7-5.5"/>`,
  error: html`<path d="M6.5 2.5h7l4 4v7l-4 4h-7l-4-4v-7ZM10 6.2v4.6M10 13.6v.1"/>`,
  filter: html`<path d="M3 6h8m4 0h2M3 14h2m4 0h8"/><circle cx="13" cy="6" r="2"/><circle cx="7" cy="14" r="2"/>`,
  flag: html`<path d="M5 17.5v-14h9.5l-2 3.5 2 3.5H5"/>`,
  globe: html`<circle cx="10" cy="10" r="7.2"/><path d="M2.8 10h14.4M10 2.8c4.5 4.5 4.5 9.9 0 14.4-4.5-4.5-4.5-9.9 0-14.4Z"/>`,
  info: html`<circle cx="10" cy="10" r="7.2"/><path d="M10 9.2V14M10 6.4v.1"/>`,
  level: html`<path d="M3 17h14M5.5 14V9M10 14V4.5M14.5 14v-7"/>`,
  link: html`<path d="M8.5 11.5a3 3 0 0 0 4.3 0l3-3a3 3 0 0 0-4.3-4.3L10.3 5.4M11.5 8.5a3 3 0 0 0-4.3 0l-3 3a3 3 0 0 0 4.3 4.3l1.2-1.2"/>`,
  list: html`<path d="M7.5 5.5h9.5M7.5 10h9.5M7.5 14.5h9.5M3.5 5.5h.1M3.5 10h.1M3.5 14.5h.1"/>`,
  menu: html`<path d="M3 5.5h14M3 10h14M3 14.5h14"/>`,
  message: html`<path d="M3 4.5h14v9.5H9l-4 3v-3H3Z"/>`,
  next: html`<path d="m7.5 5 5 5-5 5"/>`,
  numbers: html`<path d="M8 5.5h9M8 10h9M8 14.5h9M3 4l1.2-.7V8M2.8 13c.3-1.1 2-1 2 .1 0 .9-1.2 1.7-2 2.9h2.2"/>`,
  pay: html`<rect x="2.5" y="5" width="15" height="10" rx="1.5"/><circle cx="10" cy="10" r="2.2"/>`,
  pencil: html`<path d="m3.5 16.5.8-3.5L13.5 3.8l2.7 2.7L7 15.7Z"/>`,
  people: html`<circle cx="7.5" cy="7" r="2.8"/><path d="M2 16.5a5.5 5.5 0 0 1 11 0M13 4.5a2.8 2.8 0 0 1 0 5.2M15 12.2a5.5 5.5 0 0 1 3 4.3"/>`,
  person: html`<circle cx="10" cy="6.8" r="3.3"/><path d="M3.5 17a6.5 6.5 0 0 1 13 0"/>`,
  pin: html`<path d="M10 17.5s5.5-4.7 5.5-9.2a5.5 5.5 0 0 0-11 0c0 4.5 5.5 9.2 5.5 9.2Z"/><circle cx="10" cy="8.2" r="2"/>`,
  plus: html`<path d="M10 4v12M4 10h12"/>`,
  repeat: html`<path d="M16 6.5A7 7 0 1 0 17 10M16.5 3v4h-4"/>`,
  search: html`<circle cx="9" cy="9" r="5.5"/><path d="m13.2 13.2 4 4"/>`,
  star: html`<path d="m10 2.8 2.2 4.6 5 .7-3.6 3.5.9 5L10 14.2l-4.5 2.4.9-5L2.8 8.1l5-.7Z"/>`,
  warning: html`<path d="M10 3 1.8 16.8h16.4ZM10 8.5v3.5M10 14.4v.1"/>`,
}

export type IconName = keyof typeof icons

const drawn = Object.fromEntries(
  Object.entries(icons).map(([name, shape]) => [
    name,
    html`<svg class="i" viewBox="0 0 20 20" aria-hidden="true">${shape}</svg>`,
  ]),
) as Record<IconName, ReturnType<typeof html>>

export const icon = (name: IconName) => drawn[name]

/** The icons of notices. Successes, warnings and errors differ in shape, not only in color. */
export const toneIcons = {
  plain: 'info',
  accent: 'info',
  good: 'check',
  warn: 'warning',
  bad: 'error',
} as const satisfies Record<string, IconName>
