#!/usr/bin/env node
// @ts-check
/** The command line of the service: `bin/job-marketplace.js serve`. */
import { fileURLToPath } from 'node:url'
import { launch, serviceEnvironment, serviceFlags } from './launch.js'

const cli = fileURLToPath(new URL('../src/main/cli.ts', import.meta.url))
launch([...serviceFlags, cli, ...process.argv.slice(2)], serviceEnvironment)
