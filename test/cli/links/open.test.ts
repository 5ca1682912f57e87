import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAccessWorld } from '../../helpers/access.ts'
import { perTest } from '../../helpers/per-test.ts'
import { serveHere } from '../../helpers/serve-here.ts'

const template = 'https://app.test/meet?room_id={room_id}&access_token={access_token}'
const world = perTest(createAccessWorld)

function installOpener(script: string): void {
  mkdirSync(join(world.dir, 'bin'))
  writeFileSync(join(world.dir, 'bin', 'xdg-open'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

function run(line: string, script: string | undefined, env: Record<string, string | undefined> = {}) {
  const bin = join(world.dir, 'bin')
  if (script !== undefined) installOpener(script)
  const PATH = `${bin}:${process.env['PATH']}`
  const display = script === undefined ? {} : { DISPLAY: ':0' }
  return world.run(line, { env: { PATH, ...display, MEETROOM_JOIN_URL: template, ...env } })
}

interface Visit {
  argument: string
  /** Modes of the page and its directory, in octal. */
  modes: string[]
  /** URL that redirects to `link`. */
  url: string
  link: string | null
}

let visit: Promise<Visit>
/** Returns the script of a browser that records its argument. The test then requests the redirect. */
function writeBrowser(dir: string): string {
  visit = follow(join(dir, 'argument'))
  // Prevents an unhandled rejection if the test fails before it awaits the visit.
  visit.catch(() => {})
  return `printf %s "$1" > '${dir}/written'; mv '${dir}/written' '${dir}/argument'`
}

async function follow(file: string): Promise<Visit> {
  await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true)
  const argument = readFileSync(file, 'utf8')
  const page = argument.startsWith('file:') ? new URL(argument) : undefined
  const paths = page ? [page, new URL('.', page)] : []
  const modes = paths.map((path) => (statSync(path).mode & 0o777).toString(8))
  const url = page ? (/url=([^"]+)/.exec(readFileSync(page, 'utf8'))?.[1] ?? '') : argument
  const { headers } = await fetch(url, { redirect: 'manual' })
  return { argument, modes, url, link: headers.get('location') }
}

const addressPattern = /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}$/

describe('rooms open', () => {
  test('rooms open starts the browser with a page that only the owner can read and that redirects to the link only once', async () => {
    const { hall } = world.ids
    const { code, stdout, stderr } = await run(`rooms open ${hall} --as ada`, writeBrowser(world.dir))
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'opened Hall in the browser\n' })
    const { argument, modes, url, link } = await visit
    const { access_token } = await world.member(hall, 'ada')
    expect(link).toBe(`https://app.test/meet?room_id=${hall}&access_token=${access_token}`)
    expect(argument).toMatch(/^file:\/\/\/.*\/meetroom-\w{6}\/open\.html$/)
    expect(modes).toEqual(['600', '700'])
    expect(url).toMatch(addressPattern)
    await expect(fetch(url)).rejects.toThrow()
    expect(existsSync(new URL('.', argument))).toBe(false)
  })

  test('rooms open stores the page in the home directory if browsers may be snaps, which cannot read other directories', async () => {
    const script = writeBrowser(world.dir)
    const PATH = `${join(world.dir, 'bin')}:/snap/bin:${process.env['PATH']}`
    const { code } = await run(`rooms open ${world.ids.lobby}`, script, { PATH, HOME: world.dir })
    expect(code).toBe(0)
    expect((await visit).argument).toContain(`file://${world.dir}/meetroom-`)
    expect(readdirSync(world.dir).filter((name) => name.startsWith('meetroom-'))).toEqual([])
  })

  test('rooms open in WSL passes the URL of the redirect to the browser of Windows, which may not find a Linux path', async () => {
    const BROWSER = join(world.dir, 'bin', 'xdg-open')
    const env = { BROWSER, WSL_DISTRO_NAME: 'Debian' }
    expect((await run(`rooms open ${world.ids.lobby}`, writeBrowser(world.dir), env)).code).toBe(0)
    expect((await visit).argument).toMatch(addressPattern)
  })

  test('rooms open exits 74 if the page cannot be stored', async () => {
    const env = { PATH: `${join(world.dir, 'bin')}:/snap/bin`, HOME: join(world.dir, 'missing') }
    expect(await run(`rooms open ${world.ids.lobby}`, 'exit 0', env)).toMatchObject({
      code: 74,
      stderr: `error: the redirect file for the browser cannot be stored in ${join(world.dir, 'missing')}: no such directory\nhint: choose another directory with TMPDIR\n`,
    })
  })

  test('rooms open --json prints whether the browser opened the link', async () => {
    const { lobby } = world.ids
    expect((await run(`rooms open ${lobby} --json`, undefined)).stdout).toBe(
      `{"room_id":"${lobby}","opened":false,"link":"https://app.test/meet?room_id=${lobby}"}\n`,
    )
    expect((await run(`rooms open ${lobby} --json`, writeBrowser(world.dir))).stdout).toBe(
      `{"room_id":"${lobby}","opened":true,"link":null}\n`,
    )
    expect((await visit).link).toBe(`https://app.test/meet?room_id=${lobby}`)
  })

  test.each([
    ['there is no display', undefined, {}],
    ['the program is missing', undefined, { DISPLAY: ':0', PATH: '/nonexistent' }],
    ['the program fails', 'exit 3', {}],
  ])('rooms open prints the link if %s', async (_, script, env) => {
    const { lobby } = world.ids
    const { code, stdout, stderr } = await run(`rooms open ${lobby}`, script, env)
    expect({ code, stdout, stderr }).toEqual({
      ...{ code: 0, stdout: `https://app.test/meet?room_id=${lobby}\n`, stderr: '' },
    })
  })

  test('rooms open without a browser warns about the token in the printed link', async () => {
    const { hall } = world.ids
    const { code, stdout, stderr } = await run(`rooms open ${hall} --as ada`, undefined)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'the links give access as 1 user; keep the output private: anyone with a link has its user’s access\n',
    })
    expect(stdout).toContain('access_token=')
  })

  test('rooms open starts the program in BROWSER with its arguments', async () => {
    const { lobby } = world.ids
    installOpener(`test "$1" = --new-window || exit 1\nshift\n${writeBrowser(world.dir)}`)
    const BROWSER = `'${join(world.dir, 'bin', 'xdg-open')}' --new-window`
    expect(await run(`rooms open ${lobby}`, undefined, { BROWSER })).toMatchObject({
      ...{ code: 0, stdout: '', stderr: 'opened Lobby in the browser\n' },
    })
    expect((await visit).link).toBe(`https://app.test/meet?room_id=${lobby}`)
  })

  test('rooms open exits 9 and suggests the command that prints the link if the browser does not request the link', async () => {
    installOpener('exit 0')
    const env = {
      PATH: `${join(world.dir, 'bin')}:${process.env['PATH']}`,
      DISPLAY: ':0',
      MEETROOM_JOIN_URL: template,
    }
    const { host, done } = world.start(['rooms', 'open', world.ids.hall, '--as', 'ada'], { env })
    host.hurry()
    const { code, stderr } = await done
    expect({ code, stderr }).toEqual({
      code: 9,
      stderr:
        'error: the browser did not open the link\n' +
        `hint: print the link with: meetroom rooms link --as ada ${world.ids.hall} --base-url https://meet.test/v1\n`,
    })
  })

  test('rooms open exits with an error if --as is missing for a public room, the room is terminated or the user does not exist', async () => {
    const { hall, plans } = world.ids
    expect(await run(`rooms open ${hall}`, undefined)).toMatchObject({
      code: 2,
      stderr: `error: room ${hall} cannot be opened: the room is public; pass --as\n`,
    })
    await world.send('PUT', `/rooms/${plans}`, { is_terminated: true })
    expect(await run(`rooms open ${plans} --as mallory`, undefined)).toMatchObject({
      code: 1,
      stderr:
        `error: room ${plans} cannot be opened: the room is terminated\n` +
        `hint: reopen it with: meetroom rooms reopen ${plans} --base-url https://meet.test/v1\n`,
    })
    expect(await run(`rooms open ${hall} --as nobody`, undefined)).toMatchObject({ code: 3 })
  })
})

describe('links to the embedded service', () => {
  const bare = { MEETROOM_JOIN_URL: undefined }

  test('rooms link prints the URL of the room page if the embedded service runs on this machine', async () => {
    const { baseUrl, apiKey, origin } = await serveHere()
    const send = async (path: string, body: object) =>
      (
        await fetch(baseUrl + path, {
          ...{ method: 'POST', body: JSON.stringify(body) },
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        })
      ).json() as Promise<any>
    const { user } = await send('/users', { user_id: 'ada' })
    const { room } = await send('/rooms', { name: 'R', type: 'public' })
    const { main } = await import('../../../src/main.ts')
    const { testHost } = await import('../../helpers/host.ts')
    const host = testHost({
      env: { MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: apiKey, MEETROOM_CONFIG_DIR: world.configDir },
    })
    expect(await main(['rooms', 'link', room.id, '--as', 'ada', '--quiet'], host), host.stderr.text).toBe(0)
    expect(host.stdout.text).toBe(`${origin}/rooms/${room.id}#access_token=${user.access_token}\n`)
  })

  test('rooms link --local exits 2 if the local workspace is not served', async () => {
    expect(await run('rooms link r --local', undefined, bare)).toMatchObject({
      code: 2,
      stderr:
        'error: room pages need a served local workspace\n' +
        'hint: start it in another terminal with: meetroom serve\n',
    })
  })
})
