import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { launcher, node } from '../../helpers/built.ts'
import { runCommand } from '../../helpers/command.ts'
import { serveHere } from '../../helpers/serve-here.ts'
import { canTrace } from '../../helpers/syscalls.ts'
import { tempDir } from '../../helpers/world.ts'

test.runIf(canTrace)(
  'the --save file and its directory are synced to disk before the first DELETE request',
  async () => {
    const { baseUrl, apiKey } = await serveHere()
    const dir = tempDir()
    const env = { HOME: dir, MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: apiKey }
    const run = (command: string, argv: readonly string[]) => runCommand(command, argv, env, '', { cwd: dir })
    for (const user of ['ada', 'grace']) await run(node, [launcher, 'users', 'create', user])
    const trace = join(dir, 'trace.txt')
    const calls = ['-f', '-y', '-s', '64', '-o', trace, '-e', 'trace=write,writev,sendto,sendmsg,fsync']
    const line = 'users delete ada grace --yes --save undo.ndjson'.split(' ')
    expect((await run('strace', [...calls, node, launcher, ...line])).code).toBe(0)

    const lines = readFileSync(trace, 'latin1').split('\n')
    const at = (pattern: RegExp) => lines.findIndex((text) => pattern.test(text))
    const written = at(/write\(\d+<[^>]*undo\.ndjson>/)
    const synced = lines.flatMap((text, i) => (/fsync(\(\d+<[^>]*| resumed>).*= 0$/.test(text) ? [i] : []))
    const deleted = at(/"DELETE /)
    expect(written).toBeGreaterThan(0)
    expect(synced).toHaveLength(2)
    expect(synced.every((i) => i > written && i < deleted)).toBe(true)
    expect(at(new RegExp(`fsync\\(\\d+<${dir}>`))).toBeGreaterThan(0)
  },
)
