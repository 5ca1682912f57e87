import type { Run } from '../../helpers/world.ts'
import type { Thing } from './fake.ts'
import type { Outcome } from './rule.ts'
import type { Target } from './target.ts'

/**
 * Form in which a command reports the outcomes of its items.
 * - `code`: one item, by the exit code
 * - `rows`: a result for each item, by its status
 * - `items`: the items that are done, and errors that name the other items
 */
export type Report = 'code' | 'rows' | 'items'

export type ReportedOutcome = Outcome | 'unsent'

const statuses: Record<string, ReportedOutcome> = {
  ...{ ok: 'done', overwrote: 'done', updated: 'done', skipped: 'done' },
  ...{ failed: 'failed', invalid: 'failed', unknown: 'unknown', unsent: 'unsent' },
}

const objects = (text: string): Thing[] =>
  text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))

/** Returns the error objects that a run with a JSON format has printed. */
const errorsOf = ({ stderr }: Run): Thing[] => objects(stderr).flatMap(({ error }) => (error ? [error] : []))

const doneWords =
  /^(?:applied|imported|updated|terminated|reopened|deleted|blocked|unblocked|queued|sent the message to|added the user to|created \d+ pages? in each of) (\d+)/

/** Notice about items without a necessary field. */
const unmatched =
  /^\d+ \w+ (without \w+ (do(es)? not match|(is|are) counted as empty)|(has|have) no name in the file)$|^warning: sessions without a readable start are omitted: \d/m
export const leavesOut = ({ code, stderr }: Run) => code === 0 && unmatched.test(stderr)

/** Returns the number of items that the summary of a run reports as done; undefined without a summary. */
export function claimed(run: Run): number | undefined {
  const texts = [...run.stderr.split('\n'), ...errorsOf(run).map(({ message }) => String(message))]
  const [, number] = texts.map((text) => doneWords.exec(text)).find((match) => match) ?? []
  return number === undefined ? undefined : Number(number)
}

/** Returns true if a run ended before it tried all items. */
export const leavesUntried = ({ stderr }: Run) => /\b\d+ not tried\b/.test(stderr)

/** Returns the words of each command that an error suggests, without the program name. */
export function suggested(run: Run): string[][] {
  return errorsOf(run).flatMap(({ hint }) => {
    const [, words] = /: meetroom (.*)$/.exec(String(hint)) ?? []
    return words === undefined ? [] : [wordsOf(words)]
  })
}

const wordsOf = (text: string) =>
  [...text.matchAll(/(?:'([^']*)'|(\S+))/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')

export function said(run: Run, targets: readonly Target[], report: Report): ReportedOutcome[] {
  if (report === 'code') return targets.map(() => byCode(run))
  if (report === 'rows') {
    const rows = objects(run.stdout)
    return targets.map((target) => statuses[rows.findLast((row) => target.isIn(row))?.['status']] ?? 'unsent')
  }
  const errors = errorsOf(run)
  const items = objects(run.stdout)
  const verdicts = targets.map((target): ReportedOutcome | undefined => {
    const isAbout = (inWords: boolean) => (one: Thing) =>
      target.names.some((name) => (inWords ? isMentioned(one, name) : isSentTo(one, name)))
    // A message may also mention the ID of another item.
    const error = errors.find(isAbout(false)) ?? errors.filter(({ request }) => !request).find(isAbout(true))
    if (error) return error['code'] === 'unknown_outcome' ? 'unknown' : 'failed'
    return run.code === 0 || items.some((item) => target.isIn(item)) ? 'done' : undefined
  })
  // The command does not print an item that no response shows.
  const silent = verdicts.filter((verdict) => verdict === undefined || verdict === 'done').length
  const rest = (claimed(run) ?? 0) >= silent ? 'done' : 'unsent'
  return verdicts.map((verdict) => verdict ?? rest)
}

function byCode({ code }: Run): ReportedOutcome {
  if (code === 0) return 'done'
  return code === 7 ? 'unknown' : 'failed'
}

const isSentTo = ({ request }: Thing, name: string) =>
  String(request?.path ?? '')
    .split('/')
    .includes(name)
const isMentioned = ({ message }: Thing, name: string) =>
  String(message)
    .split(/[^\w.-]/)
    .includes(name)
