import { createTextResponse, type TextResponse } from '../service/response.ts'
import script from './browser/main.ts?script'
import { formatRoomPage, icon } from './html.ts'
import { roomPageStyle } from './style.ts'

interface Files {
  page: TextResponse
  assets: ReadonlyMap<string, TextResponse>
}

/**
 * Creates the files of the room page. All rooms share one page, whose script reads the room and the token.
 * @param embedOrigin the only origin whose pages may embed the room page
 */
export function createFiles(embedOrigin: string | undefined): Files {
  return {
    page: createFile('text/html', formatRoomPage(embedOrigin), {
      'content-security-policy': createPolicy(embedOrigin),
      ...(embedOrigin === undefined && { 'x-frame-options': 'DENY' }),
      'cache-control': 'no-store',
      // Identifies the embedded service to commands that create links.
      server: 'meetroom',
    }),
    assets: new Map([
      ['/room-page/room.js', createFile('text/javascript', script)],
      ['/room-page/room.css', createFile('text/css', roomPageStyle)],
      ['/room-page/icon.svg', createFile('image/svg+xml', icon)],
    ]),
  }
}

/** Creates a content security policy that allows files and WebSockets of this service, and images over HTTPS. */
function createPolicy(embedOrigin = "'none'"): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' https:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${embedOrigin}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

function createFile(
  type: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): TextResponse {
  return createTextResponse(
    200,
    {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'no-cache',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    text,
  )
}
