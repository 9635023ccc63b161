#!/usr/bin/env node
// @ts-check
/** Runs Node as `node` does: `node bin/node.js scripts/generate-docs.ts --check`. */
import { launch } from './launch.js'

launch(process.argv.slice(2))
