#!/usr/bin/env node
// @ts-check
/** The service's command line: `bin/job-marketplace.js serve`. */
import { fileURLToPath } from 'node:url'
import { launch, serviceEnvironment, serviceFlags } from './launch.js'

const cli = fileURLToPath(new URL('../src/main/cli.ts', import.meta.url))
launch([...serviceFlags, cli, ...process.argv.slice(2)], serviceEnvironment)
