import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { launcher, node } from '../helpers/built.ts'
import { runCommand } from '../helpers/command.ts'
import { serveHere } from '../helpers/serve-here.ts'
import { tempDir } from '../helpers/world.ts'
import { notice } from '../suites/size.ts'

const isRoot = process.getuid?.() === 0
// Without these capabilities, file modes also apply to root.
const asOwner = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []
const [setpriv, ...capabilities] = asOwner
const obeysModes =
  process.platform !== 'win32' && (!setpriv || spawnSync(setpriv, [...capabilities, 'true']).status === 0)
if (!obeysModes) notice('unreadable settings', 'file modes do not apply to this user')
const other = 4711

// The environment of a run names the service, not the protected profile.
async function protect() {
  const { baseUrl, apiKey } = await serveHere()
  const dir = join(tempDir(), 'config')
  const file = join(dir, 'config.json')
  mkdirSync(dir)
  const production = { base_url: baseUrl, protected: true }
  writeFileSync(file, JSON.stringify({ profiles: { production } }), { mode: 0o600 })
  const env = {
    MEETROOM_API_KEY: apiKey,
    MEETROOM_BASE_URL: baseUrl,
    MEETROOM_CONFIG_DIR: dir,
  }
  const run = (line: string) => {
    const [command = '', ...argv] = [...asOwner, node, launcher, ...line.split(' ')]
    return runCommand(command, argv, env)
  }
  return { dir, file, run }
}

test.runIf(obeysModes)('local backup exits 74 for an unreadable database', async () => {
  const dir = tempDir()
  const env = { MEETROOM_CONFIG_DIR: join(dir, 'config'), MEETROOM_DATA_DIR: join(dir, 'data') }
  await runCommand(node, [launcher, '--local', 'users', 'create', 'ada'], env)
  chmodSync(join(dir, 'data', 'workspace.db'), 0)
  const [command = '', ...argv] = [...asOwner, node, launcher, 'local', 'backup', join(dir, 'copy.db')]
  expect(await runCommand(command, argv, env)).toMatchObject({
    code: 74,
    stderr: expect.stringContaining('cannot be opened: permission denied'),
  })
})

describe.runIf(obeysModes)('unreadable settings files', () => {
  test.each(['file', 'directory'])(
    'with an unreadable settings %s, users create exits 2 and users list succeeds',
    async (what) => {
      const { dir, file, run } = await protect()
      const path = what === 'file' ? file : dir
      chmodSync(path, 0)
      const refused = await run('users create ada')
      const read = await run('users list -o ids')
      const allowed = await run('users create ada --allow-write')
      chmodSync(path, 0o700)
      expect(refused).toEqual({
        code: 2,
        stdout: '',
        stderr:
          `error: the settings file ${file} cannot be read: permission denied, so it is unknown whether a profile protects this service\n` +
          'hint: fix the settings file, or pass --allow-write to make the change anyway\n',
      })
      expect(read).toEqual({ code: 0, stdout: '', stderr: '' })
      expect(allowed).toMatchObject({ code: 0 })
    },
  )

  test.runIf(isRoot)(
    'users create succeeds if the inaccessible settings directory belongs to another account',
    async () => {
      const { dir, run } = await protect()
      chownSync(dir, other, other)
      chmodSync(dir, 0o700)
      expect(await run('users create ada')).toMatchObject({ code: 0 })
    },
  )
})
