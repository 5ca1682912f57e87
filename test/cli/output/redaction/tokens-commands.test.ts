import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formats } from '../../../../src/config/values.ts'
import { allCalls, prepare, sendsElsewhere, sendsNothing } from '../../../helpers/calls.ts'
import { otherService } from '../../../helpers/other-service.ts'
import { full } from '../../../suites/size.ts'

const token = '00tokenAbcDef_ghiJKL-mnopQRSTuvwxyz0123456'

const fieldsWithToken = { unlisted: { access_token: token, owner: { devices: [{ access_token: token }] } } }

const calls = (await allCalls()).filter((call) => !sendsNothing.test(call) && !sendsElsewhere.test(call))
/** Returns true if JSON in a pipe may contain tokens. */
const isAsSent = (call: string) => !/ (export|import)\b/.test(call)
/** Returns true if the output may contain a link with a token. */
const isLink = (call: string) => / (links?|open)\b/.test(call)

function readFiles(dir: string): string {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')
}

test.each(calls)(
  'the command “%s” prints no access token, except in links and in JSON in a pipe',
  async (call) => {
    let prepared: Awaited<ReturnType<typeof prepare>> | undefined
    const outputs = formats.flatMap((format) => [[format, false] as const, [format, true] as const])
    // A quick run tests each call with about a quarter of the outputs.
    const row = calls.indexOf(call)
    for (const [format, tty] of outputs.filter((_, i) => full || (i + (i >> 1) + row) % 4 === 0)) {
      const isRefused =
        (call.startsWith('api') && !/json/.test(format)) ||
        (/ export/.test(call) && /table|ids/.test(format)) ||
        (call === 'workspace export' && format !== 'json') ||
        (/ links?\b|^usage|^message send ROOM/.test(call) && format === 'ids')
      prepared ??= await prepare()
      const { world, argvOf } = prepared
      otherService(world, fieldsWithToken)
      const { code, stdout, stderr } = await world.run(argvOf(`${call} --yes --verbose -o ${format}`), {
        tty,
        env: { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined },
      })
      const run = `-o ${format}${tty ? ' on a terminal' : ''}`
      expect(code, `${run}\n${stderr}`).toBe(isRefused ? 2 : 0)
      const isSent = !tty && /json/.test(format) && isAsSent(call)
      expect(isSent || isLink(call) ? '' : stdout, run).not.toContain(token)
      expect(stderr + readFiles(world.dir), run).not.toContain(token)
      // Runs without writes share a world, because its preparation takes long.
      if (world.requests.some(({ method }) => method !== 'GET')) prepared = undefined
    }
  },
)
