#!/usr/bin/env node
// @ts-check
/** Runs Node like the `node` command: `node bin/node.js scripts/generate-docs.ts --check`. */
import { launch } from './launch.js'

launch(process.argv.slice(2))
