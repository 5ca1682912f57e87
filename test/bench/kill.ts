// kill -9 in a loop, 200 times unless told otherwise. Run with: npm run bench:kill [-- KILLS]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killLoop } from '../helpers/kill-loop.ts'

const kills = Number(process.argv[2] ?? 200)
const dir = mkdtempSync(join(tmpdir(), 'meetroom-kill-'))
const began = performance.now()
const survived = await killLoop({ dir, kills, random: Math.random })
rmSync(dir, { recursive: true, force: true })
const { acknowledged, found, open, undelivered, renamed } = survived
console.log(JSON.stringify({ kills, seconds: Math.round((performance.now() - began) / 1000), ...survived }))
if (found !== acknowledged || open > 0 || undelivered.length > 0 || renamed.length > 0) process.exitCode = 1
