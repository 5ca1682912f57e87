import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { baseUrl, type Run } from '../../helpers/world.ts'
import type { FakeService } from './fake.ts'
import { answersOf, readsOf } from './proof.ts'
import {
  claimed,
  leavesOut,
  leavesUntried,
  type ReportedOutcome,
  said as saidBy,
  suggested,
} from './report.ts'
import { hiddenFields, type Outcome, verdicts, visible } from './rule.ts'
import { openSchool, type School, type State } from './school.ts'
import { type Target, targetsOf, timesMade } from './target.ts'
import { changedFields, type Truth, truthOf } from './truth.ts'
import type { WriteScenario } from './writes/scenario.ts'

/**
 * Classes of problems:
 * - `false success`: reported as done, but not done as requested
 * - `false failure`: reported as failed or unsent, but executed
 * - `duplicate`: executed more than once
 * - `false alarm`: a failure or an unknown outcome without a reason
 * - `unproven`: a verdict that no response proves
 * - `silent`: a missing notice
 */
const classes = [
  ...['false success', 'false failure', 'duplicate', 'false alarm', 'unproven', 'silent'],
] as const
export type Class = (typeof classes)[number]

export interface Problem {
  readonly kind: Class
  readonly text: string
}

export interface Judgement {
  readonly problems: readonly Problem[]
  readonly runs: number
  /** Number of false verdicts that the rule accepts. */
  readonly accepted: number
  /** First command and its requests, in readable form. */
  readonly requests: readonly string[]
}

interface JudgedItem {
  readonly target: Target
  readonly said: ReportedOutcome
  readonly truth: Truth
  readonly right: ReadonlySet<Outcome>
  /** True if a request for the item was sent. */
  readonly isTried: boolean
  readonly times: number
  /** True if the item initially had the requested state. */
  readonly wasSo: boolean
  /** True if nothing was sent and the service hides a requested field. */
  readonly isSkipped: boolean
}

const isDone = ({ said }: JudgedItem) => said === 'done'

/** Runs a scenario, and compares the reports with the stored state. */
export async function judge(fake: FakeService, scenario: WriteScenario): Promise<Judgement> {
  const school = await openSchool(fake)
  await scenario.prepare?.(school)
  const before = await school.state()
  const targets = scenario.targets(targetsOf(school), school)
  const { argv, run, requests } = await runIn(school, scenario)
  const after = await school.state()
  const items = judged(fake, scenario, school, targets, run, before, after)
  const found = await problemsOf(fake, scenario, items, run, after)
  const problems = found.map((problem) => describe(problem, argv, run))
  const again = items.every(isDone) ? undefined : nextCommand(scenario, argv, run)
  if (!again) return { problems, runs: 1, accepted: accepted(items), requests }

  const second = await school.run(again)
  const later = judged(fake, scenario, school, targets, second, before, await school.state())
  const repeated = laterProblems(fake, scenario, later).map((problem) => describe(problem, again, second))
  return {
    problems: [...problems, ...repeated],
    runs: 2,
    accepted: accepted(items) + accepted(later),
    requests,
  }
}

export async function runIn(school: School, scenario: WriteScenario, ...flags: string[]) {
  const { requests: sent, dir } = school.world
  if (scenario.file !== undefined) writeFileSync(join(dir, 'in.csv'), scenario.file)
  const argv = [...scenario.argv(school), ...flags]
  sent.length = 0
  const run = await school.run(argv)
  const lines = sent.map(({ method, url }) => `  ${method} ${url.replace(baseUrl, '')}`)
  const requests = [argv.join(' '), ...(lines.length > 0 ? lines : ['  nothing'])].map(school.readable)
  return { argv, run, requests }
}

function judged(
  fake: FakeService,
  scenario: WriteScenario,
  { sent }: School,
  targets: readonly Target[],
  run: Run,
  before: State,
  after: State,
): JudgedItem[] {
  const all = saidBy(run, targets, scenario.report ?? 'code')
  return targets.map((target, i) => {
    const truth = truthOf(target, before, after)
    const shown = visible(target, fake)
    const tries = sent.filter(({ request }) => target.isFor(request))
    const right = verdicts(target, truthOf(shown, before, after), fake, {
      isSeen: scenario.isSeen ?? false,
      isMany: targets.length >= 10,
      ignoresMissing: scenario.ignoresMissing ?? false,
      isRaw: scenario.isRaw ?? false,
    })
    const said = all[i] ?? 'unsent'
    const wasSo = target.kind !== 'delete' && truthOf(target, before, before) === 'done'
    const isRefused = tries.some(({ isRefused, executed }) => isRefused && executed.length === 0)
    return {
      target,
      // A run that ends early reports only the number of untried items, not their IDs.
      said:
        said === 'done' && tries.length === 0 && target.kind !== 'keep' && leavesUntried(run)
          ? 'unsent'
          : said,
      truth,
      right: new Set<Outcome>([
        ...right,
        ...(isRefused && truth === 'not' ? (['failed'] as const) : []),
        ...(wasSo && truth === 'done' ? (['done'] as const) : []),
      ]),
      isTried: tries.length > 0,
      times: timesMade(target, sent, target.find(after)),
      isSkipped: tries.length === 0 && !isDeepStrictEqual(shown.asked, target.asked),
      wasSo,
    }
  })
}

type Found = readonly [Class, string]

async function problemsOf(
  fake: FakeService,
  scenario: WriteScenario,
  items: readonly JudgedItem[],
  run: Run,
  after: State,
): Promise<Found[]> {
  if (run.code === 70) return [['false alarm', 'a bug']]
  if (leavesOut(run) && !items.some(({ isTried }) => isTried)) return []
  const found = items.flatMap((item) => [...outcomeProblems(item), ...duplicates(fake, item)])
  const alarms = items.filter(
    (item) => !item.isTried && !item.isSkipped && !isDone(item) && !waits(fake, item.target),
  )
  const isUnsettled = fake.isUnsettled && run.code === 8 && /the service listed \d+ of \d+ /.test(run.stderr)
  const isAlarm = run.code !== 0 && !isUnsettled && (alarms.length > 0 || items.every(isDone))
  // An item may wait for an item that is not done, or that the service only claims to have written.
  const isBlocked =
    items.some(({ isTried, said, truth }) => isTried && (said !== 'done' || truth === 'not')) ||
    (fake.isBusy && leavesUntried(run))
  if (isAlarm && !isBlocked && (await canWrite(fake, scenario, items)))
    found.push(['false alarm', items.every(isDone) ? 'all is done' : 'nothing was sent'])
  return [...found, ...codeProblems(items, run), ...silence(fake, items, run, after)]
}

/** Returns true if an item waits for a field that the service may not show. */
const waits = (fake: FakeService, { waitsFor }: Target) =>
  waitsFor !== undefined &&
  (fake.hides?.includes(waitsFor) || readsOf(fake, 'change').some((reads) => reads !== 'true'))

const isWrong = (truth: Truth) => ['not', 'partly', 'other', 'misnamed'].includes(truth)

function outcomeProblems({ target, said, truth, right, isTried, wasSo }: JudgedItem): Found[] {
  const name = `${target.kind} ${target.names[0] ?? ''} (${truth})`
  if (said === 'unsent' || (!isTried && said !== 'done'))
    return truth === 'not' || wasSo ? [] : [['false failure', `${name} was not sent`]]
  if (right.has(said)) return []
  const should = `${name}: ${said}, not ${[...right].join(' or ')}`
  if (said === 'done') return [[isWrong(truth) ? 'false success' : 'unproven', should]]
  if (said === 'failed' && truth !== 'not' && truth !== 'partly') return [['false failure', should]]
  return [[right.has('unknown') ? 'unproven' : 'false alarm', should]]
}

const duplicates = (fake: FakeService, { target, times }: JudgedItem): Found[] =>
  times > 1 && !(target.kind !== 'keep' && answersOf(fake, target.kind).includes('denies'))
    ? [['duplicate', `${target.kind} ${target.names[0] ?? ''} was made ${times} times`]]
    : []

function codeProblems(items: readonly JudgedItem[], run: Run): Found[] {
  const { code } = run
  const done = items.filter(isDone).length
  // A workspace file never changes fields that the service hides.
  const expected = items.filter(({ isSkipped }) => !isSkipped).length
  const unknown = items.filter(({ said }) => said === 'unknown').length
  const all = items.filter(({ truth }) => truth !== 'not').length
  const claims = claimed(run) ?? 0
  if (claims > Math.max(all, done)) return [['false success', `${claims} in the summary`]]
  if (code === 0 && done < expected) return [['false success', `${expected - done} items are not done`]]
  if (code === 7 && (done > 0 || unknown === 0)) return [['false alarm', `${done} done, ${unknown} unknown`]]
  if (code !== 0 && code < 7 && done + unknown > 0)
    return [['false failure', `${done} done, ${unknown} unknown`]]
  return []
}

/** Returns the problems of missing notices. */
function silence(fake: FakeService, items: readonly JudgedItem[], run: Run, after: State): Found[] {
  return items.flatMap(({ target, truth, said, isTried }): Found[] => {
    if (said === 'done') {
      const isLike = truth === 'equal' || truth === 'similar' || truth === 'longer'
      const fields = [
        ...(isLike ? changedFields(visible(target, fake), after) : []),
        ...(isTried ? hiddenFields(target, fake) : []),
      ].filter((field) => !run.stderr.includes(field))
      return fields.length > 0 ? [['silent', `no notice about ${fields.join(', ')}`]] : []
    }
    const waits = target.waitsFor !== undefined && fake.hides?.includes(target.waitsFor)
    if (waits && !run.stderr.includes('--accept-unconfirmed-blocks'))
      return [['silent', 'no notice says how to go on']]
    // The output must contain the ID of a room with another name or type.
    const ids = target.kind === 'room' && truth === 'misnamed' ? target.find(after).map(({ id }) => id) : []
    const isShown = !fake.ids && answersOf(fake, 'room').every((answers) => answers === 'shows')
    const texts = `${run.stdout}${run.stderr}`
    return said === 'unknown' && isShown && ids.some((id) => !texts.includes(String(id)))
      ? [['silent', 'the ID of the room is not named']]
      : []
  })
}

/** Returns false successes, false failures and duplicates of the second run. */
function laterProblems(fake: FakeService, scenario: WriteScenario, items: readonly JudgedItem[]): Found[] {
  return items.flatMap((item): Found[] => {
    const { target, said, truth, right } = item
    const name = `${target.kind} ${target.names[0] ?? ''} (${truth})`
    const made = duplicates(fake, item)
    if (made.length > 0 || scenario.again === 'hint' || right.has(said as Outcome)) return made
    if (said === 'done' && truth === 'not') return [['false success', `${name} in the second run`]]
    // The service refuses a second deletion, and a plan lacks items that lists do not show.
    const isUnreadable =
      target.kind === 'keep' || readsOf(fake, target.kind).some((reads) => reads !== 'true')
    return said === 'failed' && truth === 'done' && item.isTried && target.kind !== 'delete' && !isUnreadable
      ? [['false failure', `${name} in the second run`]]
      : []
  })
}

/** Returns the command that a user runs after an incomplete run; undefined if there is none. */
function nextCommand({ again, leaf }: WriteScenario, argv: readonly string[], run: Run) {
  if (run.code === 2 || run.code === 10) return undefined
  if (again === 'same') return argv
  if (again === 'resume') return [...argv, '--resume']
  return again === 'hint' ? suggested(run).find((words) => words.join(' ').startsWith(leaf)) : undefined
}

/** Returns true if a command can read everything that it needs before it writes. */
async function canWrite(
  fake: FakeService,
  { needs = [], findsBy }: WriteScenario,
  items: readonly JudgedItem[],
): Promise<boolean> {
  if (findsBy !== undefined && fake.hides?.includes(findsBy)) return false
  const kinds = items.map(({ target: { kind } }) => (kind === 'keep' ? 'change' : kind))
  if (kinds.some((kind) => readsOf(fake, kind).includes('never'))) return false
  for (const need of needs) {
    const school = await openSchool(fake)
    const { code, stderr } = await school.run(need(school))
    // A list with repeated items can be printed, but cannot select items to write.
    if ((code !== 0 && code !== 3) || /^the service lists some /m.test(stderr)) return false
  }
  return true
}

const accepted = (items: readonly JudgedItem[]) =>
  items.filter(
    ({ said, truth, right }) =>
      (said === 'done' && truth === 'not' && right.has('done')) ||
      (said === 'failed' && truth === 'done' && right.has('failed')),
  ).length

const describe = ([kind, text]: Found, argv: readonly string[], run: Run): Problem => ({
  kind,
  text: `${kind}: ${argv.join(' ')}: exit ${run.code}: ${text}\n${run.stdout.slice(0, 300)}${run.stderr.slice(0, 600)}`,
})
