import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { documentation } from '../helpers/documentation.ts'
import { findFreePort } from '../helpers/free-port.ts'
import { programsIn } from '../helpers/programs.ts'
import { blockBehind } from '../helpers/shell.ts'
import { hasTool } from '../helpers/tools.ts'
import { tempDir } from '../helpers/world.ts'

test.runIf(hasTool('bash', 'readme', 'the script of “Live rooms”'))(
  'the “Live rooms” script joins a room, receives webhooks and terminates the room',
  {
    timeout: 60_000,
  },
  async () => {
    const readme = documentation()
    const [, script = ''] = /<!-- live -->\n```bash\n([\s\S]*?)```\n<!-- \/live -->/.exec(readme) ?? []
    const { code, stdout, stderr } = await runCommand('bash', ['-c', script], { HOME: tempDir() }, '', {
      patienceMs: 55_000,
    })
    const events = stdout.match(/"action":"\w+"/g)
    const lines = stdout.split('\n').filter((line) => !line.startsWith('{"action"'))
    expect({ code, stderr, events }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^warning: the service accepted webhook, but does not show it\njoined room \w{24}; press \^C to leave\nthe room is terminated\n$/,
      ),
      events: ['"action":"sessionJoined"', '"action":"sessionJoined"', '"action":"sessionLeft"'],
    })
    expect(lines).toEqual([
      'USER ID  STATUS',
      '───────  ──────',
      expect.stringMatching(/^(ada {6}|grace {4})online$/),
      expect.stringMatching(/^(ada {6}|grace {4})online$/),
      '{"event":"message","message":"Hello, both of you"}',
      '{"event":"message","message":"Hello, both of you"}',
      expect.stringMatching(
        /^\{"error":\{"code":"refused","message":"you are blocked in this room","retryable":false,/,
      ),
      'name          Demo',
      'status        terminated',
      'meeting_time  8',
      '',
    ])
  },
)

test.each([
  [
    'pass',
    'meetroom rooms create --name Demo --type open --columns name,status',
    0,
    'name    Demo\nstatus  active\n',
  ],
  ['fail', 'exit 3', 3, ''],
])('the recipe for tests exits with the exit code of tests that %s', async (_, npm, code, stdout) => {
  const dir = tempDir()
  const port = `${await findFreePort()}`
  const script = blockBehind('## Tests with an embedded service', 'sh').replaceAll('4680', port)
  const env = {
    HOME: dir,
    TMPDIR: dir,
    PATH: `${programsIn(join(dir, 'bin'), { npm })}:${process.env['PATH']}`,
  }
  // `runCommand` waits for the service, because the service keeps standard error open.
  expect(await runCommand('sh', ['-c', script], env)).toEqual({ code, stdout, stderr: '' })
  expect(readdirSync(dir).filter((name) => name.startsWith('tmp.'))).toEqual([])
})
