import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { problemsOf } from './faults/check.ts'
import { type Command, commands } from './faults/expected.ts'
import type { Fault } from './faults/fault.ts'
import { built, type Format, formats, type Runner, runAgainst, ways } from './faults/run.ts'
import { authority } from './faults/table/tls.ts'
import { faults } from './faults/table.ts'
import { counted, full, notice, share } from './size.ts'

const count = counted('faults')
const dir = mkdtempSync(join(tmpdir(), 'meetroom-test-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
writeFileSync(join(dir, 'ca.pem'), authority.ca)

const env = { HOME: dir, MEETROOM_CONFIG_DIR: join(dir, 'config') }
const trusting = { ...env, NODE_EXTRA_CA_CERTS: join(dir, 'ca.pem') }

/**
 * Yields one combination of command, format and runner in a quick run, and all possible combinations in a
 * full run.
 */
function* casesOf(index: number, fault: Fault): Generator<readonly [Fault, Runner, Command, Format]> {
  const { trusted, undici, isLarge, over = 'http' } = fault
  const all = (Object.keys(commands) as Command[]).flatMap((command) =>
    formats.map((format) => [command, format] as const),
  )
  const cases = share(all, isLarge ? 0 : -index, all.length)
  // A process trusts the authority only if it starts with the certificate.
  if (full || trusted) for (const [command, format] of cases) yield [fault, built, command, format]
  if (trusted) return
  const possible = ways.filter(({ runner }) => !('tunnels' in runner) || over === 'http')
  for (const [nth, { library, runner }] of possible.entries()) {
    const changed = library === 'undici' ? { ...fault, ...undici } : fault
    for (const [i, [command, format]] of cases.entries())
      if (full || nth === (index + i) % possible.length) yield [changed, runner, command, format]
  }
}

const isHere = ({ over }: Fault) => over !== 'full port' || process.platform === 'linux'
if (!faults.every(isHere)) notice('faults', 'only Linux has a port that drops connections')

describe.concurrent('outcomes with a faulty service', () => {
  test.each(faults.filter(isHere).map((fault, index) => [fault.name, index, fault] as const))(
    'commands report the correct outcome if the service %s',
    async (_name, index, fault) => {
      const problems: string[] = []
      for (const [changed, runner, command, format] of casesOf(index, fault)) {
        const ended = await runAgainst(changed, command, format, runner, fault.trusted ? trusting : env)
        problems.push(...problemsOf(changed, command, format, ended))
        count.add('commands')
      }
      count.add('faults')
      if (problems.length > 0) expect.fail(problems.join('\n'))
    },
    // The faults run concurrently, and some send or decode 64 MB.
    120_000,
  )
})
