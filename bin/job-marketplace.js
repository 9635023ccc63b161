#!/usr/bin/env node
// @ts-check
/** The command line of the service: `bin/job-marketplace.js serve`. */
import { fileURLToPath } from 'node:url'
import { launch, serviceFlags } from './launch.js'

launch([...serviceFlags, fileURLToPath(new URL('../src/main/cli.ts', import.meta.url)), ...process.argv.slice(2)])
