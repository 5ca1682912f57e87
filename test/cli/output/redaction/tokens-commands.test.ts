import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formats } from '../../../../src/config/values.ts'
import { allCalls, prepare, sendsElsewhere, sendsNothing } from '../../../helpers/calls.ts'
import { otherService } from '../../../helpers/other-service.ts'
import { full } from '../../../suites/size.ts'

const token = '00tokenAbcDef_ghiJKL-mnopQRSTuvwxyz0123456'

/** A service that puts the token into everything that it tells of, and into what is within that. */
const generous = { unlisted: { access_token: token, owner: { devices: [{ access_token: token }] } } }

/** Every command that sends requests to the service, in every way. */
const calls = (await allCalls()).filter((call) => !sendsNothing.test(call) && !sendsElsewhere.test(call))
/** Those whose JSON in a pipe is what the service sent. */
const isAsSent = (call: string) => !/ (export|import)\b/.test(call)
/** Those that are asked for links, which hold tokens. */
const isLink = (call: string) => / (links?|open)\b/.test(call)

/** Everything in the files of a folder. */
function filesOf(dir: string): string {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')
}

test.each(calls)('without --show-tokens, %s prints no access token in any format', async (call) => {
  let prepared: Awaited<ReturnType<typeof prepare>> | undefined
  const outputs = formats.flatMap((format) => [[format, false] as const, [format, true] as const])
  // Every fourth call meets a format on a terminal, and every fourth one in a pipe.
  const row = calls.indexOf(call)
  for (const [format, tty] of outputs.filter((_, i) => full || (i + (i >> 1) + row) % 4 === 0)) {
    const isRefused =
      (call.startsWith('api') && !/json/.test(format)) ||
      (/ export/.test(call) && /table|ids/.test(format)) ||
      (call === 'workspace export' && format !== 'json') ||
      (/ links?\b|^usage|^message send ROOM/.test(call) && format === 'ids')
    prepared ??= await prepare()
    const { world, argvOf } = prepared
    otherService(world, generous)
    const { code, stdout, stderr } = await world.run(argvOf(`${call} --yes --verbose -o ${format}`), {
      tty,
      env: { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined },
    })
    const run = `-o ${format}${tty ? ' on a terminal' : ''}`
    expect(code, `${run}\n${stderr}`).toBe(isRefused ? 2 : 0)
    const isSent = !tty && /json/.test(format) && isAsSent(call)
    expect(isSent || isLink(call) ? '' : stdout, run).not.toContain(token)
    expect(stderr + filesOf(world.dir), run).not.toContain(token)
    // Commands that change nothing share a world, because preparing it takes longer than most of them.
    if (world.requests.some(({ method }) => method !== 'GET')) prepared = undefined
  }
})
