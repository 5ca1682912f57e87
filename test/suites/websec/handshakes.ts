/**
 * Difference from a valid WebSocket handshake:
 *
 *     GET /v1/rooms/{room}/connect HTTP/1.1
 *     Host: localhost:4680
 *     Upgrade: websocket
 *     Connection: Upgrade
 *     Sec-WebSocket-Version: 13
 *     Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
 *
 * `{room}` and `{private}` are the IDs of an open and a private room. `{token}` is the access token of an
 * uninvited user, and `{key}` is the API key.
 */
export interface Handshake {
  line?: string
  /** Values of headers, by name. An empty list removes the header. */
  headers?: Record<string, string[]>
  /** Text after the headers. */
  behind?: string
}

export type HandshakeVector = readonly [name: string, handshake: Handshake]

const header = (name: string, ...values: string[]): HandshakeVector => [
  values.length === 0 ? `no ${name}` : `${name}: ${values.join(' and ')}`,
  { headers: { [name]: values } },
]
const path = (target: string): HandshakeVector => [target, { line: `GET ${target} HTTP/1.1` }]
const line = (text: string): HandshakeVector => [text, { line: text }]

export const welcomeHandshakes: readonly HandshakeVector[] = [
  ['without an Origin, as programs send it', {}],
  header('Origin', 'http://localhost:4680'),
  header('Host', '127.0.0.1:1'),
  header('Upgrade', 'WebSocket'),
  header('Connection', 'keep-alive, Upgrade'),
  header('Sec-WebSocket-Protocol', 'a, b'),
  header('Sec-WebSocket-Extensions', 'permessage-deflate; client_max_window_bits'),
  path('/v1/rooms/{room}/connect?access_token={token}'),
]

/** Handshakes that are refused before a session is recorded. */
export const refusedHandshakes: Readonly<Record<string, readonly HandshakeVector[]>> = {
  'a page of another site': [
    header('Origin', 'http://evil.test'),
    header('Origin', 'null'),
    header('Origin', ''),
    header('Origin', 'http://localhost:3000'),
    header('Origin', 'http://localhost'),
    header('Origin', 'http://127.0.0.1:4680'),
    header('Origin', 'http://localhost:4680.evil.test'),
    header('Origin', 'http://evil.localhost:4680'),
    header('Origin', 'ws://localhost:4680'),
    header('Origin', 'chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'),
    header('Origin', 'http://localhost:4680', 'http://evil.test'),
    header('Origin', 'http://evil.test', 'http://localhost:4680'),
    ['with the API key', { headers: { Origin: ['http://evil.test'], Authorization: ['Bearer {key}'] } }],
    [
      'with an access token',
      {
        line: 'GET /v1/rooms/{room}/connect?access_token={token} HTTP/1.1',
        headers: { Origin: ['http://evil.test'] },
      },
    ],
    [
      'with forged same-origin headers',
      {
        headers: {
          Origin: ['http://evil.test'],
          'Sec-Fetch-Site': ['same-origin'],
          Referer: ['http://localhost:4680/'],
        },
      },
    ],
    [
      'with the Sec-WebSocket-Origin header of browsers in 2011',
      { headers: { 'Sec-WebSocket-Version': ['8'], 'Sec-WebSocket-Origin': ['http://evil.test'] } },
    ],
  ],
  'a foreign host name that resolves to this machine': [
    header('Host', 'evil.test'),
    header('Host', 'evil.test:4680'),
    header('Host', 'evil.com/.localhost'),
    header('Host', 'evil.com#.localhost'),
    header('Host', 'localhost', 'evil.test'),
    header('Host', 'evil.test', 'localhost'),
    header('Host', 'localhost.'),
    header('Host', '0.0.0.0:4680'),
    header('Host', '[::ffff:127.0.0.1]'),
    header('Host'),
    ['with the Origin of the same host', { headers: { Host: ['evil.test'], Origin: ['http://evil.test'] } }],
    path('http://evil.test/v1/rooms/{room}/connect'),
    path('ws://localhost:4680/v1/rooms/{room}/connect'),
  ],
  'a user without an invitation': [
    path('/v1/rooms/{private}/connect'),
    path('/v1/rooms/{private}/connect?access_token={token}'),
    path('/v1/rooms/{private}/connect?access_token={key}'),
    path('/v1/rooms/{private}/connect?access_token='),
    path('/v1/rooms/{private}/connect?access_token=%00'),
    path("/v1/rooms/{private}/connect?access_token='%20OR%20''='"),
    path('/v1/rooms/{private}/connect?access_token=%25'),
    path('/v1/rooms/{private}/connect?access_token=null'),
    path('/v1/rooms/{private}/connect?access_token[]=x'),
    path('/v1/rooms/{private}/connect?ACCESS_TOKEN={token}'),
    path('/v1/rooms/{private}/connect?__proto__[access_token]={token}'),
    path('/v1/rooms/{room}/connect?access_token=wrong'),
    path('/v1/rooms/{room}/connect?access_token={key}'),
    path('/v1/rooms/{room}/connect?access_token=wrong&access_token={token}'),
    [
      'with the key in Authorization',
      { line: 'GET /v1/rooms/{private}/connect HTTP/1.1', headers: { Authorization: ['Bearer {key}'] } },
    ],
    [
      'with the token as a protocol',
      {
        line: 'GET /v1/rooms/{private}/connect HTTP/1.1',
        headers: { 'Sec-WebSocket-Protocol': ['{token}'] },
      },
    ],
    [
      'with the token as a cookie',
      { line: 'GET /v1/rooms/{private}/connect HTTP/1.1', headers: { Cookie: ['access_token={token}'] } },
    ],
  ],
  'a path without a room': [
    '/v1/rooms/none/connect',
    '/v1/rooms//connect',
    '/v1/rooms/%00/connect',
    '/v1/rooms/%ff/connect',
    '/v1/rooms/%/connect',
    '/v1/rooms/__proto__/connect',
    '/v1/rooms/%2e%2e/connect',
    '/v1/rooms/{room}%2fconnect',
    '/v1/rooms/{room}/connect/',
    '/v1/rooms/{room}/Connect',
    '/v1/rooms/{room}',
    '/v2/rooms/{room}/connect',
    '//localhost/v1/rooms/{room}/connect',
    '/v1/users/{room}/connect',
    '/',
    '*',
  ].map(path),
  'an invalid handshake': [
    header('Sec-WebSocket-Version'),
    ...['', '0', '7', '8', '12', '14', '013', '13.0', '+13', '13, 8', '13 8', 'x'].map((version) =>
      header('Sec-WebSocket-Version', version),
    ),
    header('Sec-WebSocket-Version', '13', '13'),
    header('Sec-WebSocket-Key'),
    ...[
      '',
      'x',
      'dGhlIHNhbXBsZSBub25jZQ',
      'dGhlIHNhbXBsZSBub25jZQ=',
      'dGhlIHNhbXBsZSBub25jZQ===',
      'dGhlIHNhbXBsZSBub25jZQAA',
      '!GhlIHNhbXBsZSBub25jZQ==',
      'x'.repeat(4096),
    ].map((key) => header('Sec-WebSocket-Key', key)),
    header('Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ==', 'dGhlIHNhbXBsZSBub25jZQ=='),
    ...['a,,b', 'a, a', 'a b', ',', 'a,', '', '"a"', 'a;q=1', 'ä'].map((protocols) =>
      header('Sec-WebSocket-Protocol', protocols),
    ),
    header('Upgrade', 'websocket, h2c'),
    header('Upgrade', 'websockets'),
    header('Upgrade', 'h2c'),
    header('Connection', 'close'),
    header('Connection', 'keep-alive'),
    line('POST /v1/rooms/{room}/connect HTTP/1.1'),
    line('HEAD /v1/rooms/{room}/connect HTTP/1.1'),
    line('PUT /v1/rooms/{room}/connect HTTP/1.1'),
    line('GET /v1/rooms/{room}/connect HTTP/2.0'),
    ['with a body', { headers: { 'Content-Length': ['5'] }, behind: 'hello' }],
    ['with a body in chunks', { headers: { 'Transfer-Encoding': ['chunked'] }, behind: '0\r\n\r\n' }],
    ['with two lengths', { headers: { 'Content-Length': ['5', '0'] }, behind: 'hello' }],
    [
      'after a request without a response yet',
      { line: 'GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\n\r\nGET /v1/rooms/{room}/connect HTTP/1.1' },
    ],
    [
      'after a refused request',
      { line: 'GET /v1/rooms HTTP/1.1\r\nHost: evil.test\r\n\r\nGET /v1/rooms/{room}/connect HTTP/1.1' },
    ],
  ],
}
