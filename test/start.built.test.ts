import { describe, expect, test } from 'vitest'
import { pipeTo, runShell } from './helpers/built.ts'
import { tempDir } from './helpers/world.ts'

const run = (script: string) => {
  const dir = tempDir()
  return runShell(script, { HOME: dir, MEETROOM_CONFIG_DIR: dir })
}

// These commands write to files and pipes without a stream.
describe.each(['--version', 'rooms --help', 'help exit-codes'])('meetroom %s', (line) => {
  test(`meetroom ${line} prints the same text to a file and to a pipe`, async () => {
    const inFile = await run(`meetroom ${line} > "$HOME/file"; cat "$HOME/file"`)
    expect(inFile).toEqual(await run(`meetroom ${line}`))
    expect(inFile.stdout).toMatch(/\n$/)
  })

  test(`meetroom ${line} exits 74 on a full disk`, async () => {
    expect(await run(`meetroom ${line} > /dev/full`)).toEqual({
      code: 74,
      stdout: '',
      stderr: 'error: the output cannot be written: no space left on the disk\n',
    })
  })

  test(`meetroom ${line} exits 0 after the reader closes the pipe`, async () => {
    // `echo` fails as soon as the reader has closed the pipe.
    const untilClosed = `(trap '' PIPE; while echo; do :; done) 2> /dev/null`
    expect(await run(pipeTo(`${untilClosed}; meetroom ${line}`, 'true'))).toEqual({
      code: 0,
      stdout: '0\n',
      stderr: '',
    })
  })
})
