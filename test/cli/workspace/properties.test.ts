import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RandomFile, workspaceFile } from '../../helpers/random-workspace.ts'
import { createWorkspace, type TestWorkspace } from '../../helpers/workspace-file.ts'
import { sized } from '../../suites/size.ts'

/** Number of generated cases; `npm run test:workspace` runs more. */
const numRuns = Number(process.env['WORKSPACE_RUNS'] ?? sized(4, 15))

const prune = '--prune=members,users,rooms'

async function allowRemovals({ world }: TestWorkspace): Promise<string> {
  const { stdout } = await world.run(`workspace diff school.json -o json ${prune}`)
  const { summary } = JSON.parse(stdout)
  const kinds = ['members', 'users', 'rooms'].filter((kind) => summary[kind].remove > 0)
  return [prune, ...kinds.map((kind) => `--allow-large ${kind}=${summary[kind].remove}`)].join(' ')
}

async function apply(at: TestWorkspace, file: RandomFile) {
  // Some of these workspaces have no room, so the file names the profile.
  at.write(JSON.stringify({ workspace: 'default', ...file }), 'school.json')
  const flags = await allowRemovals(at)
  const planned = await at.diff(flags, 'school.json')
  const run = await at.run(`workspace apply school.json --yes --max 500 -o json ${flags}`)
  return { planned: planned.lines.filter((line) => /^[+~-]/.test(line)), run, flags }
}

test('workspace apply of any file sends as many writes as planned, and none when repeated', async () => {
  await fc.assert(
    fc.asyncProperty(workspaceFile, workspaceFile, async (first, second) => {
      const at = await createWorkspace()
      for (const file of [first, second]) {
        const { planned, run, flags } = await apply(at, file)
        expect(run.writes.length, run.stderr + planned.join('\n')).toBe(planned.length)
        const { lines } = await at.diff(prune, 'school.json')
        expect(lines.filter((line) => /^[+~-]/.test(line))).toEqual([])
        const again = await at.run(`workspace apply school.json --yes ${prune}`)
        // A new key may have the name of an existing room without a key.
        const code = lines.some((line) => line.startsWith('! exists')) ? 8 : 0
        expect(run.code, run.stderr).toBe(code)
        expect([again.code, again.writes], again.stderr + flags).toEqual([code, []])
      }
    }),
    { numRuns },
  )
}, 120_000)

test('workspace apply of an export to an empty workspace creates an equal workspace', async () => {
  await fc.assert(
    fc.asyncProperty(workspaceFile, async (file) => {
      const source = await createWorkspace()
      await apply(source, file)
      const { stdout } = await source.world.run('workspace export')
      const copy = await createWorkspace()
      copy.write(stdout)
      const { code, stderr } = await copy.world.run('workspace apply school.yaml --yes --max 500')
      expect(code, stderr + stdout).toBe(0)
      expect((await copy.diff('--strict')).code).toBe(0)
      expect((await copy.world.run('workspace export')).stdout).toBe(stdout)
    }),
    { numRuns },
  )
}, 120_000)
