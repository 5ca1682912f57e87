import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { launcher, node, runBuilt } from '../../../helpers/built.ts'
import { type Certificate, certificateAuthority } from '../../../helpers/certificate.ts'
import { type Finished, runCommand } from '../../../helpers/command.ts'
import { testNow } from '../../../helpers/host.ts'
import { listen } from '../../../helpers/listen.ts'
import { runHere } from '../../../helpers/run-here.ts'
import { serveHere } from '../../../helpers/serve-here.ts'
import { silentNames } from '../../../helpers/silent-names.ts'
import { tempDir } from '../../../helpers/world.ts'
import { notice } from '../../../suites/size.ts'

// The servers listen on real sockets, because doctor opens its own connections.

const authority = certificateAuthority()
const key = 'doctor-key-0123456789'

const service: RequestListener = ({ headers }, response) => {
  const isKnown = headers.authorization === `Bearer ${key}`
  response.setHeader('content-type', 'application/json').statusCode = isKnown ? 200 : 401
  response.end(isKnown ? '{"rooms":[]}' : `{"error":{"message":"no: ${headers.authorization}"}}`)
}

async function secure(certificate: Certificate = authority.issue(), listener = service): Promise<string> {
  return `https://127.0.0.1:${await listen(createTlsServer(certificate, listener))}/v1`
}

const ca = join(mkdtempSync(join(tmpdir(), 'meetroom-test-')), 'ca.pem')
writeFileSync(ca, authority.ca)
afterAll(() => rmSync(dirname(ca), { recursive: true }))

/** Runs doctor in a process that trusts the certificate authority. */
const doctor = (env: Record<string, string>, ...flags: string[]) =>
  checksOf(tempDir(), (home) => runBuilt(['doctor', ...flags], { ...home, NODE_EXTRA_CA_CERTS: ca, ...env }))

/** Runs doctor in this process, which does not trust the certificate authority. */
const doctorHere = (env: Record<string, string>, ...flags: string[]) =>
  checksOf(tempDir(), (home) =>
    runHere(['doctor', ...flags], {
      env: {
        ...home,
        PATH: process.env['PATH'],
        MEETROOM_CONFIG_DIR: home.HOME,
        MEETROOM_DATA_DIR: home.HOME,
        ...env,
      },
    }),
  )

async function checksOf(
  dir: string,
  run: (home: { HOME: string; LANG: string; MEETROOM_API_KEY: string }) => Promise<Finished>,
) {
  const { code, stdout, stderr } = await run({ HOME: dir, LANG: 'C.UTF-8', MEETROOM_API_KEY: key })
  expect(stdout + stderr).not.toContain(key)
  const lines = [...stdout.matchAll(/^(\S+) +(.{13}) {2}(.*)$/gm)]
  const checks = Object.fromEntries(
    lines.map(([, mark, name = '', words]) => [name.trim(), `${mark} ${words}`]),
  )
  return { code, stdout, stderr, checks, dir }
}

async function doctorWithCommand(
  key_command: string,
  { mode = 0o600, directoryMode = 0o700, run = doctorHere } = {},
) {
  const { baseUrl, apiKey } = await serveHere()
  const dir = tempDir()
  const profile = { base_url: baseUrl, key_command, api_key_origin: new URL(baseUrl).origin }
  writeFileSync(join(dir, 'config.json'), JSON.stringify({ profiles: { default: profile } }))
  chmodSync(join(dir, 'config.json'), mode)
  chmodSync(dir, directoryMode)
  writeFileSync(join(dir, 'key'), apiKey)
  const found = await run({ MEETROOM_CONFIG_DIR: dir, MEETROOM_API_KEY: '', KEY: join(dir, 'key') })
  expect(found.stdout + found.stderr).not.toContain(apiKey)
  return found
}

const proxyHint = 'check HTTPS_PROXY, and its user name and password if the proxy requires them'

describe('doctor', () => {
  test('doctor reports success for a healthy service', async () => {
    const url = await secure()
    const { code, stderr, checks, dir } = await doctor({ MEETROOM_BASE_URL: url, XDG_CACHE_HOME: '' })
    const { port } = new URL(url)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(checks).toEqual({
      node: expect.stringMatching(/^✔ \d+\.\d+\.\d+$/),
      version: expect.stringMatching(/^✔ meetroom \d/),
      'settings file': `✔ ${dir}/.config/meetroom/config.json does not exist; the file is optional`,
      'code cache': `✔ ${dir}/.cache/meetroom does not exist yet`,
      profile: '✔ default (default)',
      'base url': `✔ ${url} (MEETROOM_BASE_URL)`,
      key: '✔ from MEETROOM_API_KEY',
      proxy: '✔ none',
      dns: '✔ 127.0.0.1 is an IP address',
      tcp: expect.stringMatching(new RegExp(`^✔ connected to 127\\.0\\.0\\.1 port ${port} in \\d+ ms$`)),
      tls: '✔ TLSv1.3, issued by Test CA, 1 day left',
      clock: expect.stringMatching(/^✔ /),
      'key accepted': '✔ yes',
      workspace: '✔ can be read',
    })
  })

  test('doctor reports a rejected key without printing the key', async () => {
    const url = await secure()
    const { code, checks, stderr } = await doctor({
      MEETROOM_BASE_URL: url,
      MEETROOM_API_KEY: 'another-key-0123456789',
    })
    expect(code).toBe(1)
    expect(stderr).toBe('error: 1 of 14 checks failed: key accepted\n')
    expect(checks['key accepted']).toContain(
      '; the key is from MEETROOM_API_KEY; correct it, or unset it to use a stored key',
    )
    expect(checks['workspace']).toBe('- the key is refused')
    expect(JSON.stringify(checks)).not.toContain('another-key')
  })

  test('doctor reports a refused connection', async () => {
    const port = await listen(createServer())
    const free = port === 65535 ? 1 : port + 1
    const { code, checks } = await doctorHere({ MEETROOM_BASE_URL: `https://127.0.0.1:${free}/v1` })
    expect(code).toBe(1)
    expect(checks['tcp']).toBe(
      `✖ 127.0.0.1 port ${free}: connection refused; check whether the service runs there, and whether a firewall rejects the connection`,
    )
    expect(checks['tls']).toBe('- tcp failed')
    expect(checks['workspace']).toBe('- tcp failed')
  })

  test('doctor reports an unknown host name', async () => {
    const { code, checks } = await doctorHere({ MEETROOM_BASE_URL: 'https://nowhere.invalid/v1' })
    expect(code).toBe(1)
    expect(checks['dns']).toMatch(/^✖ nowhere\.invalid: the host name cannot be resolved/)
  })

  test.each([
    [
      'is self-signed',
      () => authority.selfSigned(),
      '✖ the certificate is self-signed (issued by 127.0.0.1, 1 day left); if you trust the authority, point NODE_EXTRA_CA_CERTS at a file with its certificate',
    ],
    [
      'is from an unknown authority',
      () => certificateAuthority('Other CA').issue(),
      '✖ the certificate cannot be verified (issued by Other CA, 1 day left); if you trust the authority, point NODE_EXTRA_CA_CERTS at a file with its certificate',
    ],
    [
      'has expired',
      () => authority.issue({ days: [-9, -2] }),
      '✖ the certificate has expired (issued by Test CA, expired); the operator of the service must renew the certificate, unless the clock of this machine is wrong',
    ],
    [
      'is not valid yet',
      () => authority.issue({ days: [2, 9] }),
      '✖ the certificate is not valid yet (issued by Test CA, 8 days left); check the clock of this machine',
    ],
    [
      'is for another host',
      () => authority.issue({ host: 'other.test' }),
      '✖ the certificate is for another host (issued by Test CA, 1 day left); check the base URL, and whether a proxy or firewall responds instead of the service',
    ],
  ])('doctor reports a certificate that %s and sends no request', async (_, certificate, words) => {
    let asked = 0
    const url = await secure(certificate(), (_request, response) => {
      asked++
      response.end()
    })
    const { code, checks } = await doctor({ MEETROOM_BASE_URL: url })
    expect({ code, asked }).toEqual({ code: 1, asked: 0 })
    expect(checks['tls']).toBe(words)
  })

  // Each run waits for five or six seconds, so the runs are concurrent.
  test('doctor reports a timeout if a server or proxy does not respond within 5 s', {
    timeout: 30_000,
  }, async () => {
    const silent = await listen(createServer())
    const names = await silentNames()
    if (!names) notice('doctor', 'this machine lets nobody have a name server of their own')
    const begun = Date.now()
    const [dns, tls, http, proxy, slowKey] = await Promise.all([
      names &&
        checksOf(tempDir(), (home) => {
          const [program, ...argv] = names.within([node, launcher, 'doctor'])
          return runCommand(program, argv, { ...home, MEETROOM_BASE_URL: 'https://meet.test/v1' })
        }),
      doctor({ MEETROOM_BASE_URL: `https://127.0.0.1:${silent}/v1` }),
      doctor({ MEETROOM_BASE_URL: await secure(undefined, () => {}) }),
      doctor({ MEETROOM_BASE_URL: 'https://meet.test/v1', HTTPS_PROXY: `http://127.0.0.1:${silent}` }),
      process.platform === 'win32'
        ? undefined
        : doctorWithCommand(`sh -c 'sleep 6; cat "$KEY"'`, { run: doctor }),
    ])
    expect(Date.now() - begun).toBeLessThan(20_000)
    expect([tls.code, http.code, proxy.code]).toEqual([1, 1, 1])
    if (dns)
      expect(dns).toMatchObject({
        code: 1,
        checks: {
          dns: '✖ no response within 5 s; retry, or ask the administrator of the network',
          workspace: '- dns failed',
        },
      })
    expect(tls.checks['tls']).toMatch(/^✖ no response within 5 s; /)
    expect(http.checks).toMatchObject({
      clock: '- no response',
      'key accepted': '- unknown: the response does not show it',
      workspace: expect.stringMatching(/^✖ no response within 5 s/),
    })
    expect(proxy.checks).toMatchObject({
      tls: `✖ no response within 5 s; ${proxyHint}`,
      workspace: '- tls failed',
    })
    if (slowKey)
      expect(slowKey, slowKey.stdout).toMatchObject({
        code: 0,
        checks: { key: '✔ from profile default, printed by a command', 'key accepted': '✔ yes' },
      })
  })

  test('doctor reports clock skew relative to the service', async () => {
    const listener: RequestListener = (request, response) => {
      response.setHeader('date', new Date(testNow - 3_600_000).toUTCString())
      service(request, response)
    }
    const port = await listen(createHttpServer(listener))
    const { code, checks } = await doctorHere({ MEETROOM_BASE_URL: `http://127.0.0.1:${port}/v1` })
    expect(code).toBe(1)
    expect(checks['clock']).toMatch(
      /^✖ 360\d s ahead of the clock of the service; set the clock of this machine$/,
    )
  })

  test('doctor connects through a proxy without printing the proxy password', async () => {
    const to = Number(new URL(await secure(authority.issue({ host: 'meet.test' }))).port)
    const asked: string[] = []
    const proxy = createHttpServer()
    proxy.on('connect', ({ url = '', headers }, client) => {
      asked.push(`${url} ${headers['proxy-authorization'] === undefined ? 'without' : 'with'} password`)
      const server = connect(to, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
      server
        .on('error', () => {})
        .pipe(client.on('error', () => {}))
        .pipe(server)
    })
    const port = await listen(proxy)
    const { code, checks, stdout } = await doctor({
      MEETROOM_BASE_URL: 'https://meet.test/v1',
      HTTPS_PROXY: `http://ada:proxy-password@127.0.0.1:${port}`,
    })
    expect({ code, asked: [...new Set(asked)] }).toEqual({ code: 0, asked: ['meet.test:443 with password'] })
    expect(checks).toMatchObject({
      proxy: `✔ 127.0.0.1:${port}`,
      dns: '✔ 127.0.0.1 is an IP address',
      tls: '✔ TLSv1.3, issued by Test CA, 1 day left',
      workspace: '✔ can be read',
    })
    expect(stdout).not.toContain('proxy-password')
  })

  test.each<[string, (socket: Socket) => void, string]>([
    ['closes the connection', (socket) => socket.destroy(), 'the proxy 127.0.0.1:PORT closed the connection'],
    [
      'requires a password',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 407 No\r\n\r\n')),
      'the proxy 127.0.0.1:PORT refused the connection (407: it requires a user name and password)',
    ],
  ])('doctor reports a proxy that %s', { timeout: 30_000 }, async (_, answer, wrong) => {
    const port = await listen(createServer(answer))
    const { code, checks } = await doctorHere({
      MEETROOM_BASE_URL: 'https://meet.test/v1',
      HTTPS_PROXY: `http://127.0.0.1:${port}`,
    })
    expect(code).toBe(1)
    expect(checks['tls']).toBe(`✖ ${wrong.replace('PORT', String(port))}; ${proxyHint}`)
    expect(checks['workspace']).toBe('- tls failed')
  })

  test('doctor reports a proxy URL with an unsupported scheme', async () => {
    const { code, checks } = await doctorHere({
      MEETROOM_BASE_URL: 'https://meet.test/v1',
      HTTPS_PROXY: 'ftp://ada:proxy-password@x',
    })
    expect(code).toBe(1)
    expect(checks['proxy']).toBe(
      '✖ HTTPS_PROXY is not the URL of an HTTP proxy; a proxy URL has the form http://proxy.example.com:3128',
    )
    expect(checks['dns']).toBe('- the proxy is wrong')
  })

  test.skipIf(process.platform === 'win32')('doctor reports a world-readable settings file', async () => {
    const dir = tempDir()
    mkdirSync(join(dir, 'config'))
    const file = join(dir, 'config/config.json')
    writeFileSync(file, '{}')
    chmodSync(file, 0o644)
    const { checks } = await doctorHere({ MEETROOM_CONFIG_DIR: join(dir, 'config') }, '--local')
    expect(checks['settings file']).toBe(
      `✖ other accounts of this machine have access to ${file} (mode 0644); run: chmod 600 ${file}`,
    )
  })

  test('doctor --json reports an invalid settings file', async () => {
    const dir = tempDir()
    writeFileSync(join(dir, 'config.json'), '{')
    const { code, stdout } = await doctorHere({ MEETROOM_CONFIG_DIR: dir }, '--json', '--profile', 'x')
    expect(code).toBe(1)
    const { ok, checks } = JSON.parse(stdout)
    expect(ok).toBe(false)
    expect(checks.filter(({ status }: { status: string }) => status === 'failed')).toMatchObject([
      { check: 'settings file', hint: 'fix the file, or move it away and log in again' },
      { check: 'profile' },
    ])
  })

  test('doctor without a base URL exits 1 with a hint to log in', async () => {
    const { code, checks } = await doctorHere({ MEETROOM_API_KEY: '' })
    expect(code).toBe(1)
    expect(checks['base url']).toMatch(/^✖ no service is configured; log in with: /)
  })

  test('doctor skips the TLS check for a plain HTTP loopback address', async () => {
    const { baseUrl } = await serveHere()
    const { checks } = await doctorHere({ MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: '' })
    expect(checks['key']).toMatch(/^✖ no API key; MEETROOM_API_KEY is empty; log in with: /)
    expect(checks['tcp']).toMatch(/^✔ /)
    expect(Object.keys(checks)).not.toContain('tls')
    expect(checks['workspace']).toBe('- key failed')
  })

  test('doctor names the log of a service that closes each connection without a response', async () => {
    const port = await listen(createHttpServer(({ socket }) => socket.destroy()))
    const { code, checks } = await doctorHere(
      { MEETROOM_BASE_URL: `http://127.0.0.1:${port}/v1` },
      '--retries',
      '0',
    )
    expect(code).toBe(1)
    expect(checks['workspace']).toMatch(
      /^✖ no response .*; read the log of the service, or ask its administrator$/,
    )
  })

  test('doctor with a malformed key skips the checks that need a request', async () => {
    const { baseUrl } = await serveHere()
    const { code, checks } = await doctorHere({
      MEETROOM_BASE_URL: baseUrl,
      MEETROOM_API_KEY: 'two words-of-a-key',
    })
    expect(code).toBe(1)
    expect(checks).toMatchObject({
      clock: '- no response',
      'key accepted': expect.stringMatching(/^✖ the API key contains a space/),
      workspace: '- nothing was sent',
    })
  })

  test.skipIf(process.platform === 'win32')('doctor reports a world-writable code cache', async () => {
    const dir = tempDir()
    mkdirSync(join(dir, 'meetroom'))
    chmodSync(join(dir, 'meetroom'), 0o777)
    const { code, checks } = await doctorHere({ XDG_CACHE_HOME: dir }, '--local')
    expect(code).toBe(1)
    expect(checks['code cache']).toBe(
      `✖ ${dir}/meetroom is not a directory that only you can write to: commands start slower; delete this path; the next command creates the directory`,
    )
  })

  test('doctor --local exits 0 and creates no local workspace', async () => {
    const { code, stderr, checks, dir } = await doctorHere({}, '--local')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(checks['workspace']).toMatch(/^✔ none in .* yet; the first command creates it$/)
    expect(readdirSync(dir)).toEqual([])
    const data = { MEETROOM_DATA_DIR: dir }
    await runHere(['--local', 'rooms', 'list'], { env: data })
    expect((await doctorHere(data, '--local')).checks['workspace']).toBe('✔ can be read')
  })

  test('doctor -o csv exits 2', async () => {
    expect(await doctorHere({}, '--local', '-o', 'csv')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'error: -o csv cannot be used with “doctor”, which prints lines or JSON\n',
    })
  })

  test('doctor prints ok and FAIL instead of symbols in a locale without UTF-8', async () => {
    const { stdout } = await doctorHere({ LANG: 'C', MEETROOM_API_KEY: '' })
    expect(stdout).toMatch(/^ok {3}node/m)
    expect(stdout).toMatch(/^FAIL base url/m)
    expect(stdout).not.toMatch(/[✔✖]/)
  })
})

describe.skipIf(process.platform === 'win32')('doctor with a key command', () => {
  test('doctor with a key command suggests chmod for a world-writable settings file', async () => {
    const { code, checks } = await doctorWithCommand('false', { mode: 0o622 })
    expect(code).toBe(1)
    expect(checks['settings file']).toMatch(
      /^✖ other accounts of this machine can write to the settings file .*chmod go-w '.*config\.json'$/,
    )
  })

  test.each([
    [
      'fails',
      'false',
      0o700,
      'no API key: the key command of profile default failed with exit code 1; run the command in a shell',
    ],
    [
      'needs a shell',
      'pass | head',
      0o700,
      'the key command must not contain “|”, because it runs without a shell; quote',
    ],
    ['others can replace', 'false', 0o777, 'other accounts of this machine can replace the settings file'],
  ])('doctor reports a key command that %s', async (_, command, directoryMode, words) => {
    const { code, checks } = await doctorWithCommand(command, { directoryMode })
    expect(code).toBe(1)
    expect(checks['key']).toContain(`✖ ${words}`)
    expect(checks).toMatchObject({
      clock: '- key failed',
      'key accepted': '- key failed',
      workspace: '- key failed',
    })
  })
})
