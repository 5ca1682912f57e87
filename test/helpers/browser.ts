import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { runCommand } from './command.ts'
import { soon } from './waiting.ts'
import { tempDir } from './world.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Path of Chromium or Chrome; undefined if neither is in PATH. */
export const browser = (process.env['PATH'] ?? '')
  .split(':')
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find((path) => existsSync(path))

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']

/** Returns variables that keep temporary files in `dir`, because a killed browser does not remove them. */
const homeIn = (dir: string) => ({ HOME: dir, TMPDIR: dir })

export async function domOf(path: string): Promise<string> {
  if (browser === undefined) throw new Error('there is no browser')
  const profile = tempDir()
  const argv = [
    ...[...flags, '--virtual-time-budget=2000', `--user-data-dir=${profile}`],
    ...['--dump-dom', pathToFileURL(path).href],
  ]
  const { code, stdout, stderr } = await runCommand(browser, argv, homeIn(profile), '', {
    patienceMs: 60_000,
  })
  if (code !== 0) throw new Error(`the browser ended with ${code}: ${stderr.slice(-2000)}`)
  return stdout
}

type Params = Record<string, unknown>
type Listener = (params: any) => void

class DevTools {
  readonly #socket: WebSocket
  readonly #pending = new Map<number, { resolve(value: any): void; reject(error: Error): void }>()
  readonly #listeners = new Map<string, Set<Listener>>()
  #count = 0

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const { id, result, error, method, params, sessionId = '' } = JSON.parse(String(data))
      if (id === undefined)
        for (const listener of this.#listeners.get(`${sessionId} ${method}`) ?? []) listener(params)
      else if (error) this.#pending.get(id)?.reject(new Error(error.message))
      else this.#pending.get(id)?.resolve(result)
      this.#pending.delete(id)
    })
  }

  send(method: string, params: Params = {}, sessionId?: string): Promise<any> {
    const id = ++this.#count
    const answered = new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }))
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }))
    return soon(`the answer to ${method}`, answered)
  }

  on(sessionId: string, method: string, listener: Listener): void {
    const name = `${sessionId} ${method}`
    this.#listeners.set(name, (this.#listeners.get(name) ?? new Set()).add(listener))
  }
}

/** Page with separate storage. */
export class BrowserPage {
  readonly #tools: DevTools
  readonly #session: string
  /** Uncaught exceptions and entries of the browser log. */
  readonly problems: string[] = []
  /** A WebSocket has two entries. */
  readonly requests: { url: string; headers: Record<string, string> }[] = []

  constructor(tools: DevTools, session: string) {
    this.#tools = tools
    this.#session = session
    tools.on(session, 'Runtime.exceptionThrown', ({ exceptionDetails }) =>
      this.problems.push(exceptionDetails.exception?.description ?? exceptionDetails.text),
    )
    tools.on(session, 'Log.entryAdded', ({ entry }) => this.problems.push(entry.text))
    tools.on(session, 'Network.requestWillBeSent', ({ request }) => this.requests.push(request))
    tools.on(session, 'Network.webSocketWillSendHandshakeRequest', ({ request }) =>
      this.requests.push({ url: '', ...request }),
    )
    tools.on(session, 'Network.webSocketCreated', ({ url }) => this.requests.push({ url, headers: {} }))
  }

  send(method: string, params: Params = {}): Promise<any> {
    return this.#tools.send(method, params, this.#session)
  }

  async open(url: string): Promise<void> {
    await this.send('Page.navigate', { url })
  }

  reload(): Promise<void> {
    return this.send('Page.reload')
  }

  async evaluate(expression: string): Promise<any> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      ...{ expression, awaitPromise: true, returnByValue: true },
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }

  /**
   * Waits until an expression is true, even if the page is loaded again.
   * @throws {Error} if the expression is not true in time or has a syntax error
   */
  async until(expression: string): Promise<void> {
    const asked = `new Promise((resolve) => {
      const look = () => ((() => { try { return ${expression} } catch { return false } })() ? resolve(true) : setTimeout(look, 20))
      look()
    })`
    const holds = async () => {
      for (;;)
        try {
          return await this.evaluate(asked)
        } catch (error) {
          if (!/context|navigated|destroyed/i.test((error as Error).message)) throw error
        }
    }
    await soon(expression, holds()).catch(async (error) => {
      throw new Error(`${error.message}; the page says: ${await this.text()}; ${this.problems.join('; ')}`)
    })
  }

  text(selector = 'body'): Promise<string> {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`)
  }

  shows(text: string, selector = 'body'): Promise<void> {
    const found = `document.querySelector(${JSON.stringify(selector)}).innerText`
    return this.until(`${found}.includes(${JSON.stringify(text)})`)
  }

  async press(key: string): Promise<void> {
    const codes: Record<string, number> = { Tab: 9, Enter: 13, ArrowLeft: 37, ArrowRight: 39 }
    const pressed = {
      key,
      code: key,
      windowsVirtualKeyCode: codes[key],
      ...(key === 'Enter' && { text: '\r' }),
    }
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...pressed })
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed })
  }

  async resize(width: number, height: number, { mobile = false, dark = false } = {}): Promise<void> {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 2, mobile })
    const features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]
    await this.send('Emulation.setEmulatedMedia', { features })
  }

  async screenshot(file: string): Promise<void> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' })
    writeFileSync(file, Buffer.from(data, 'base64'))
  }

  async accessibilityTree(): Promise<string[]> {
    const { nodes } = await this.send('Accessibility.getFullAXTree')
    return nodes
      .filter(({ ignored, role }: any) => !ignored && !/^(none|generic|InlineTextBox)$/.test(role?.value))
      .map(({ role, name }: any) => `${role.value} ${name?.value ?? ''}`.trim())
  }
}

export async function startBrowser(): Promise<{ newPage(): Promise<BrowserPage> }> {
  if (browser === undefined) throw new Error('there is no browser')
  const profile = mkdtempSync(join(tmpdir(), 'meetroom-browser-'))
  const argv = [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank']
  const child = spawn(browser, argv, {
    env: { PATH: process.env['PATH'], ...homeIn(profile) },
    stdio: 'pipe',
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  const socket = new WebSocket(await soon('the address of the browser', readAddress(child)))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  onTestFinished(() => socket.terminate())
  const tools = new DevTools(socket)
  return {
    async newPage() {
      const { browserContextId } = await tools.send('Target.createBrowserContext')
      const { targetId } = await tools.send('Target.createTarget', { url: 'about:blank', browserContextId })
      const { sessionId } = await tools.send('Target.attachToTarget', { targetId, flatten: true })
      const page = new BrowserPage(tools, sessionId)
      for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Accessibility'])
        await page.send(`${domain}.enable`)
      return page
    },
  }
}

function readAddress({ stderr }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const [, address] = /DevTools listening on (ws:\S+)/.exec(text) ?? []
      if (address) resolve(address)
    })
    stderr?.on('end', () => reject(new Error(`the browser ended: ${text.slice(-2000)}`)))
  })
}
