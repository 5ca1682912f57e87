import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { runCommand } from './command.ts'
import { hasTool } from './tools.ts'

interface Step {
  name?: string
  if?: string
  uses?: string
  run?: string
  shell?: string
  env?: Record<string, string>
}

interface Job {
  env?: Record<string, string>
  defaults?: { run?: { shell?: string } }
  steps: readonly Step[]
}

export const hasBash = hasTool('bash', 'readme', 'jobs of GitHub Actions and scripts for bash')

/** Values by context, then by name, as in `secrets.KEY`. */
export type Contexts = Record<string, Record<string, string>>

/** Arguments that GitHub passes to bash, by `shell` setting. */
const shells: Record<string, readonly string[]> = {
  bash: ['--noprofile', '--norc', '-eo', 'pipefail'],
  // Without a shell in the workflow, GitHub does not set pipefail.
  '': ['-e'],
}

/**
 * Runs the scripts of the first job of a workflow.
 * @param dir checked-out directory
 * @throws {Error} if there is no job, an expression has no value, or a script runs too long
 */
export async function runJob(text: string, contexts: Contexts, dir: string, env: Record<string, string>) {
  const { jobs } = load(text) as { jobs: Record<string, Job> }
  const [job] = Object.values(jobs)
  if (!job) throw new Error('the workflow has no job')
  const summary = join(dir, 'summary.md')
  writeFileSync(summary, '')
  const runner = { ...env, CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }
  const used: string[] = []
  let log = ''
  let code = 0
  for (const step of job.steps) {
    if ((step.if === 'failure()') !== (code !== 0)) continue
    if (step.uses) used.push(step.uses)
    if (step.run === undefined) continue
    const script = join(dir, 'step.sh')
    writeFileSync(script, filledIn(step.run, contexts))
    const given = Object.entries({ ...job.env, ...step.env }).map(([name, value]) => [
      name,
      filledIn(value, contexts),
    ])
    const flags = shells[step.shell ?? job.defaults?.run?.shell ?? ''] ?? []
    const run = await runCommand(
      'bash',
      [...flags, script],
      { ...runner, ...Object.fromEntries(given) },
      '',
      { cwd: dir },
    )
    log += run.stdout + run.stderr
    code ||= run.code ?? 1
  }
  return { code, log, used, summary: readFileSync(summary, 'utf8') }
}

/**
 * Replaces expressions such as `${{ secrets.KEY }}`.
 * @throws {Error} for an expression without a value, which GitHub replaces with an empty text
 */
function filledIn(text: string, contexts: Contexts): string {
  return text.replace(/\$\{\{ (\w+)\.(\w+) \}\}/g, (all, of: string, name: string) => {
    const value = contexts[of]?.[name]
    if (value === undefined) throw new Error(`${all} is not known`)
    return value
  })
}
