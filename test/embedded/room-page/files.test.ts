import { expect, test } from 'vitest'
import { serveHere } from '../../helpers/serve-here.ts'

async function get(path: string, options: Parameters<typeof serveHere>[0] & { method?: string } = {}) {
  const { method = 'GET', ...rest } = options
  const { origin } = await serveHere(rest)
  const answer = await fetch(origin + path, { method })
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
}

const policy = (ancestors: string) =>
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:; connect-src 'self'; " +
  `base-uri 'none'; form-action 'none'; frame-ancestors ${ancestors}; ` +
  "require-trusted-types-for 'script'; trusted-types 'none'"

test('the room page has a strict Content-Security-Policy and no inline script or style', async () => {
  const { status, headers, text } = await get('/rooms/66f1a2b3c4d5e6f708192a3b')
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy("'none'"),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  expect(text).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/)
})

test('the room page has the same HTML for any room ID', async () => {
  const { text } = await get('/rooms/66f1a2b3c4d5e6f708192a3b')
  expect(await get('/rooms/%2e%2e%2fx')).toMatchObject({ status: 200, text })
  expect(await get('/rooms/another?name=x')).toMatchObject({ status: 200, text })
})

test('the room page allows embedding by the configured origin in its Content-Security-Policy', async () => {
  const { headers, text } = await get('/rooms/r', { embedOrigin: 'https://lms.example.com' })
  expect(headers['content-security-policy']).toBe(policy('https://lms.example.com'))
  expect(headers).not.toHaveProperty('x-frame-options')
  expect(text).toContain('<html lang="en" data-embed-origin="https://lms.example.com">')
})

test.each([
  ['/room-page/room.js', 'text/javascript; charset=utf-8'],
  ['/room-page/room.css', 'text/css; charset=utf-8'],
  ['/room-page/icon.svg', 'image/svg+xml; charset=utf-8'],
])('the room page file %s is served with the content type %s', async (path, type) => {
  const { status, headers } = await get(path)
  expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type })
})

test('a HEAD request for the room page returns headers without a body', async () => {
  const { status, headers, text } = await get('/rooms/r', { method: 'HEAD' })
  expect({ status, text, type: headers['content-type'] }).toEqual({
    ...{ status: 200, text: '', type: 'text/html; charset=utf-8' },
  })
})

test.each(['/rooms/', '/rooms/a/b', '/room-page/other.js', '/', '/rooms'])(
  'a GET request for %s, which is not a room page, returns 400',
  async (path) => {
    expect((await get(path)).status).toBe(400)
  },
)

test('a POST request to the room page returns 400', async () => {
  expect((await get('/rooms/r', { method: 'POST' })).status).toBe(400)
})
