import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { replaceFile } from '../../files/draft.ts'
import { toStorageError } from '../../files/file-errors.ts'
import { createTemporaryDirectory } from '../../files/temporary-directory.ts'
import type { Host } from '../../host.ts'
import { splitWords } from '../input/split-command.ts'
import type { Context } from '../kernel/context.ts'

/** Maximum time until the browser requests the link, in milliseconds. */
const patienceMs = 30_000

function findOpener({ platform, env }: Host): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open']
  // Unlike `start`, rundll32 runs no part of the URL as a command.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  const [program, ...args] = splitWords((env['BROWSER'] ?? '').trim()).words
  if (program) return [program, ...args]
  if (env['WSL_DISTRO_NAME']) return ['wslview']
  // Without a display, xdg-open could start a text browser in the terminal.
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined
}

/**
 * Opens a link through a temporary local redirect, because other users may read process arguments.
 * @returns `none` if no browser can be started, `late` if the browser did not request the link in time
 * @throws {OutputError} if the redirect page cannot be stored
 */
export async function openInBrowser(
  { host, interrupt }: Pick<Context, 'host' | 'interrupt'>,
  link: string,
): Promise<'opened' | 'none' | 'late'> {
  const opener = findOpener(host)
  if (!opener) return 'none'
  interrupt.throwIfAborted()
  const path = `/${randomBytes(24).toString('base64url')}`
  const server = createServer()
  const url = `http://127.0.0.1:${await listen(server)}${path}`
  let finish = () => {}
  let page: Page | undefined
  try {
    page = await createPage(url, host)
    const opened = page.url
    return await new Promise((resolve, reject) => {
      const cancel = host.after(patienceMs, () => resolve('late'))
      const stop = () => reject(interrupt.reason)
      interrupt.addEventListener('abort', stop, { once: true })
      finish = () => {
        cancel()
        interrupt.removeEventListener('abort', stop)
      }
      server.on('request', (request, response) => {
        const isBrowser = request.method === 'GET' && request.url === path
        response.writeHead(isBrowser ? 303 : 404, {
          ...(isBrowser && { location: link }),
          ...{ connection: 'close', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
        })
        response.end(() => {
          if (isBrowser) resolve('opened')
        })
      })
      start(opener, opened, host, () => resolve('none'))
    })
  } finally {
    finish()
    server.close()
    server.closeAllConnections()
    await page?.remove()
  }
}

interface Page {
  url: string
  remove(): Promise<void>
}

/**
 * Creates a private page that redirects to a URL. On Windows and WSL, returns the URL itself.
 * @throws {OutputError} if the page cannot be stored
 */
async function createPage(url: string, { platform, env }: Host): Promise<Page> {
  // Windows hides arguments from other users. In WSL, a Windows browser may not find a Linux path.
  if (platform === 'win32' || env['WSL_DISTRO_NAME']) return { url, async remove() {} }
  const parent = findPageParent(env)
  const what = 'the redirect file for the browser'
  const { path: dir, remove } = await createTemporaryDirectory(what, parent)
  const path = join(dir, 'open.html')
  try {
    const html = `<!doctype html><meta charset="utf-8"><title>meetroom</title><meta http-equiv="refresh" content="0; url=${url}">\n`
    replaceFile(path, html, { isPrivate: true, sync: false })
  } catch (error) {
    await remove()
    throw toStorageError(what, parent, error)
  }
  return { url: pathToFileURL(path).href, remove }
}

function findPageParent({ PATH = '', HOME }: Host['env']): string {
  // A browser that is installed as a snap cannot read /tmp or hidden directories.
  return HOME && PATH.split(':').includes('/snap/bin') ? HOME : tmpdir()
}

function start(
  [program, ...args]: readonly [string, ...string[]],
  url: string,
  { env }: Host,
  onFailure: () => void,
): void {
  // In its own process group, the browser survives ^C in this terminal.
  const child = spawn(program, [...args, url], { env: { ...env }, stdio: 'ignore', detached: true })
  child.on('error', onFailure)
  child.on('exit', (code) => {
    if (code !== 0) onFailure()
  })
  child.unref()
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
