import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quoteForShell } from '../../../src/api/quote-for-shell.ts'
import { launcher, node, runBuilt } from '../../helpers/built.ts'
import { homes } from '../../helpers/serving.ts'

const isPresent = spawnSync('pwsh', ['-NoProfile', '-Command', 'exit'], { stdio: 'ignore' }).status === 0

test.skipIf(isPresent)(
  'the completion test in PowerShell is skipped if PowerShell is not installed',
  ({ skip }) => skip(),
)

test.runIf(isPresent)(
  'TabExpansion2 in PowerShell returns the completion candidates of meetroom',
  { timeout: 60_000 },
  async () => {
    const env = { ...homes(), MEETROOM_PROFILE: 'local' }
    const bin = join(env.HOME, 'bin')
    mkdirSync(bin)
    writeFileSync(
      join(bin, 'meetroom'),
      `#!/bin/sh\nexec ${quoteForShell(node)} ${quoteForShell(launcher)} "$@"\n`,
    )
    chmodSync(join(bin, 'meetroom'), 0o755)
    await runBuilt(['users', 'create', "it's $HOME", '--name', 'Ada'], env)
    const { stdout } = await runBuilt(['completion', 'powershell'], env)
    const script = join(env.HOME, 'completion.ps1')
    const lines = [
      ['meetroom sess', 'sessions'],
      ['meetroom rooms list --output nd', 'ndjson'],
      ['meetroom rooms list --output=nd', '--output=ndjson'],
      ['meetroom rooms list --columns id,nam', 'name'],
      ["meetroom rooms list --where 'type=pri", 'type=private'],
      ['meetroom users get ', "'it''s $HOME'"],
      ["meetroom users get 'it", "'it''s $HOME'"],
    ]
    const calls = lines.map(([line = '']) => {
      const quoted = `'${line.replaceAll("'", "''")}'`
      return `(TabExpansion2 -inputScript ${quoted} -cursorColumn ${line.length}).CompletionMatches[0].CompletionText`
    })
    writeFileSync(script, `${stdout}\n${calls.join('\n')}\n`)
    const run = spawnSync('pwsh', ['-NoProfile', '-File', script], {
      env: { ...env, PATH: `${bin}:${process.env['PATH']}` },
      encoding: 'utf8',
    })
    expect(run.stdout.trim().split(/\r?\n/)).toEqual(lines.map(([, text]) => text))
  },
)
