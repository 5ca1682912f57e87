import { describe, expect, test } from 'vitest'
import { runShell } from './helpers/built.ts'
import { tempDir } from './helpers/world.ts'

const run = (script: string) => {
  const dir = tempDir()
  return runShell(script, { HOME: dir, MEETROOM_CONFIG_DIR: dir })
}

// Said without a stream for standard output.
describe.each(['--version', '-V', '--help', 'rooms --help', 'help exit-codes'])('meetroom %s', (line) => {
  test('says to a file what it says to a pipe', async () => {
    const inFile = await run(`meetroom ${line} > "$HOME/file"; cat "$HOME/file"`)
    expect(inFile).toEqual(await run(`meetroom ${line}`))
    expect(inFile.stdout).toMatch(/\n$/)
  })

  test('fails where there is no room for it', async () => {
    expect(await run(`meetroom ${line} > /dev/full`)).toEqual({
      code: 74,
      stdout: '',
      stderr: 'error: the output cannot be written: no space left\n',
    })
  })

  test('is quiet when nobody reads any more', async () => {
    expect(await run(`exec 3> >(true); wait $!; meetroom ${line} >&3`)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })
})
