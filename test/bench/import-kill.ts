// kill -9 in a loop on imports of 1,000 rows, 200 times unless told otherwise. Run with: npm run bench:import-kill [-- KILLS]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importKillLoop } from '../helpers/import-kill.ts'

const kills = Number(process.argv[2] ?? 200)
for (const kind of ['users', 'rooms'] as const) {
  const dir = mkdtempSync(join(tmpdir(), 'meetroom-import-kill-'))
  const began = performance.now()
  const survived = await importKillLoop({ kind, dir, kills, rows: 1000, random: Math.random })
  rmSync(dir, { recursive: true, force: true })
  console.log(JSON.stringify({ kind, seconds: Math.round((performance.now() - began) / 1000), ...survived }))
  const { codes, lost, repeated, actedTwice, unfounded } = survived
  if ([lost, repeated, actedTwice, unfounded].some((wrong) => wrong.length > 0)) process.exitCode = 1
  // Users can be looked up, so that none of them stays unknown.
  if (kind === 'users' && codes.some((code) => code !== 0)) process.exitCode = 1
}
