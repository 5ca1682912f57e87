/**
 * Difference from a valid request to the service:
 *
 *     POST /v1/users HTTP/1.1
 *     Host: localhost
 *     Authorization: Bearer …
 *     Content-Type: application/json
 *     Content-Length: 17
 *
 *     {"user_id":"u-1"}
 *
 * The valid read is `GET /v1/users/secret`; the valid request to `webhooks listen` is a webhook. `{path}` and
 * `{body}` are the valid path and body; `{length}` and `{hex}` are the length of the body in bytes, decimal
 * and hexadecimal.
 */
export interface Change {
  method?: string
  target?: string
  version?: string
  /** Header lines that replace `Host: localhost`. */
  host?: string[]
  /** Header lines that replace `Content-Type: application/json`. */
  type?: string[]
  /** Header lines that replace `Content-Length`. */
  framing?: string[]
  /** Additional header lines. */
  add?: string[]
  body?: string
  /** Text before the request. */
  before?: string
  /** Valid request that follows without a wait for the response. */
  behind?: 'good'
  /** Line break in the head. */
  lineEnd?: string
}

/**
 * Statuses of the responses, in order. `4xx` is one response with any 4xx or 5xx status, or a connection that
 * is closed without a response.
 */
export type Answers = readonly (number | '4xx')[]

/** Name, change, and expected responses if they differ from those of the group. */
export type RequestVector = readonly [
  name: string,
  change: Change,
  answers?: Partial<Record<Target, Answers>>,
]

/** Recipient: the service for writes, the service for reads, or `webhooks listen`. */
export type Target = 'serve' | 'reading' | 'listen'

/** Vectors for some targets. A request without a 200 response has no effect and shows no secret. */
export interface RequestGroup {
  title: string
  answers: Partial<Record<Target, Answers>>
  /** False if some responses do not close the connection. */
  closes?: false
  vectors: readonly RequestVector[]
}

const fine: Partial<Record<Target, Answers>> = { serve: [200], reading: [200], listen: [200] }
const last = 'Connection: close'
const marker = 'X-Padding: '

const from = (origin: string, host = 'localhost:4680'): Change => ({
  host: [`Host: ${host}`],
  add: [`Origin: ${origin}`],
})

const named = (host: string): RequestVector => [`Host: ${host}`, { host: [`Host: ${host}`] }]
const welcome = (host: string): RequestVector => [
  `Host: ${host} is accepted`,
  { host: [`Host: ${host}`], add: [last] },
  fine,
]

const rebinding: RequestGroup = {
  title: 'DNS rebinding by a page whose host name resolves to this machine',
  answers: { serve: [400], reading: [400], listen: [403] },
  vectors: [
    ...[
      'localhost',
      'LocalHost:1',
      'a.localhost:4680',
      '127.0.0.1',
      '127.9.9.9:4680',
      '[::1]',
      '[::1]:4680',
    ].map(welcome),
    ...[
      'evil.test',
      'evil.test:4680',
      // Names that resemble allowed names.
      'localhost.evil.test',
      'evil-localhost',
      'evillocalhost',
      'notlocalhost:4680',
      '127.0.0.1.evil.test',
      '127.0.0.1.nip.io',
      'www.127.0.0.1',
      '127.0.0.1-evil.test',
      'sub.meet.example.evil.test',
      // Invalid characters and delimiters.
      'evil.com/.localhost',
      'evil.com#.localhost',
      'evil.com?.localhost',
      'evil.com\\.localhost',
      'evil.com;.localhost',
      'evil.com,.localhost',
      'evil.com .localhost',
      'evil.com\t.localhost',
      'evil.com%00.localhost',
      'evil.com%2f.localhost',
      'evil.com%23.localhost',
      'evil.com&.localhost',
      'evil.com:80.localhost',
      'evil.com:80/.localhost',
      'evil.com"localhost',
      "evil.com'.localhost",
      'evil.com<.localhost>',
      'evil.com|.localhost',
      'evil.com(.localhost',
      'evil.com*.localhost',
      '*.localhost',
      // User names and passwords.
      'user@localhost',
      'user:password@localhost',
      'localhost@evil.test',
      'localhost:4680@evil.test',
      'evil.com@x.localhost',
      // Schemes and paths.
      'http://localhost',
      '//localhost',
      'localhost/',
      'localhost/v1',
      // Trailing dots, and empty labels.
      'localhost.',
      'localhost..',
      'evil.test.',
      '.localhost.',
      '127.0.0.1.',
      // Invalid ports.
      'localhost:',
      'localhost:x',
      'localhost:-1',
      'localhost:1:2',
      'localhost:123456',
      'localhost: 80',
      'localhost :80',
      'localhost:0x50',
      'localhost:80 evil.test',
      // Unusual notations of IP addresses and `localhost`.
      '127.1',
      '127.0.1',
      '2130706433',
      '0x7f000001',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '017700000001',
      '127.0.0.1%20',
      '127.0.0.0001',
      '127.0.0.1.1',
      '１２７.0.0.1',
      '127。0。0。1',
      'ⓛocalhost',
      'loc\u00adalhost',
      // Other hosts, mostly IP addresses.
      '0.0.0.0',
      '0',
      '0.0.0.0:4680',
      '10.0.0.1',
      '192.168.1.10:4680',
      '169.254.169.254',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[0:0:0:0:0:0:0:1]',
      '[::1%25lo]',
      '[::1%lo]',
      '[fd00::1]',
      '[::1',
      '::1',
      '::1]',
      '[[::1]]',
      '[::1].evil.test',
      '[::1]evil',
      '[localhost]',
      '[127.0.0.1]',
      '[]',
      '',
    ].map(named),
    ['no Host at all', { host: [] }, { listen: [400] }],
    ['no Host, as HTTP/1.0 allows', { host: [], version: 'HTTP/1.0' }],
    ['a second Host after the good one', { host: ['Host: localhost', 'Host: evil.test'] }],
    ['a second Host before the good one', { host: ['Host: evil.test', 'Host: localhost'] }],
    ['a second Host in another letter case', { host: ['Host: localhost', 'hOST: localhost'] }],
    ['a good X-Forwarded-Host', { host: ['Host: evil.test', 'X-Forwarded-Host: localhost'] }],
    ['a good Forwarded', { host: ['Host: evil.test', 'Forwarded: host=localhost'] }],
    ['a good X-Host', { host: ['Host: evil.test', 'X-Host: localhost', 'X-HTTP-Host-Override: localhost'] }],
  ],
}

const targets: RequestGroup = {
  title: 'a request target with a host, which takes precedence over the Host header',
  answers: { serve: [400], reading: [400], listen: [403] },
  vectors: [
    ['the host of the header is accepted', { target: 'http://localhost{path}', add: [last] }, fine],
    ['another host', { target: 'http://evil.test{path}' }],
    ['another host over TLS', { target: 'https://evil.test{path}' }],
    ['another port', { target: 'http://localhost:4680{path}' }],
    ['the good host as a user name', { target: 'http://localhost@evil.test{path}' }],
    ['the good host as the start of another', { target: 'http://localhost.evil.test{path}' }],
    [
      'another host and the good one in Host',
      { target: 'http://evil.test{path}', host: ['Host: evil.test'] },
    ],
    ['a file', { target: 'file://{path}' }],
    ['a WebSocket', { target: 'ws://localhost{path}' }],
    ['a host without a path', { target: 'http://localhost' }],
    [
      'a host without a scheme',
      { target: 'localhost{path}' },
      { serve: ['4xx'], reading: ['4xx'], listen: ['4xx'] },
    ],
    ['an asterisk', { target: '*' }, { serve: ['4xx'], reading: ['4xx'], listen: ['4xx'] }],
  ],
}

const origins: RequestGroup = {
  title: 'an Origin header of another site or without a site',
  answers: { serve: [400], reading: [400], listen: [403] },
  vectors: [
    [
      'its own origin is accepted',
      { ...from('http://localhost:4680'), add: ['Origin: http://localhost:4680', last] },
      fine,
    ],
    [
      'its own origin behind TLS is accepted',
      { host: ['Host: a.localhost'], add: ['Origin: https://a.localhost', last] },
      fine,
    ],
    ...[
      'http://evil.test',
      'https://evil.test',
      // Sandboxed frames and other opaque origins.
      'null',
      'NULL',
      '',
      'about:blank',
      'data:text/html',
      'file://',
      'blob:http://localhost:4680/1',
      // Other schemes, such as those of extensions.
      'chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      'moz-extension://3d9b7f0e-0000-0000-0000-000000000000',
      'safari-web-extension://3d9b7f0e',
      'vscode-webview://localhost:4680',
      'app://localhost:4680',
      'capacitor://localhost',
      'ws://localhost:4680',
      // Other ports and names of this machine.
      'http://localhost',
      'http://localhost:3000',
      'http://localhost:468',
      'http://localhost:46800',
      'http://localhost:4680:4680',
      'http://127.0.0.1:4680',
      'http://[::1]:4680',
      'http://a.localhost:4680',
      'http://0.0.0.0:4680',
      // Variants of the allowed origin, and a wildcard.
      'http://localhost:4680.evil.test',
      'http://localhost:4680@evil.test',
      'http://user@localhost:4680',
      'http://evillocalhost:4680',
      'http://evil.localhost:4680',
      'http://localhost:4680/',
      'http://localhost:4680/x',
      'http://localhost:4680#evil.test',
      'http://localhost:4680?evil.test',
      'http://localhost:4680%00',
      'http://localhost:4680 http://evil.test',
      'http://localhost:4680, http://evil.test',
      'http://evil.test http://localhost:4680',
      'http:localhost:4680',
      '//localhost:4680',
      'localhost:4680',
      'HTTP://LOCALHOST:4680',
      'http://localhost.:4680',
      '*',
    ].map((origin): RequestVector => [`Origin: ${origin}`, from(origin)]),
    [
      'two Origins, the good one first',
      {
        ...from('http://localhost:4680'),
        add: ['Origin: http://localhost:4680', 'Origin: http://evil.test'],
      },
    ],
    [
      'two Origins, the good one last',
      {
        ...from('http://localhost:4680'),
        add: ['Origin: http://evil.test', 'Origin: http://localhost:4680'],
      },
    ],
    [
      'a good Referer',
      {
        ...from('http://evil.test'),
        type: ['Content-Type: application/json', 'Referer: http://localhost:4680/'],
      },
    ],
    ['the origin of the page for a foreign Host', from('http://evil.test', 'evil.test')],
  ],
}

const forms: RequestGroup = {
  title: 'CSRF with a content type that needs no preflight request',
  closes: false,
  answers: { serve: [400] },
  vectors: [
    ['application/json is accepted', {}, { serve: [200] }],
    [
      'application/json with a charset is accepted',
      { type: ['Content-Type: application/JSON; charset=utf-8'] },
      { serve: [200] },
    ],
    ...[
      'text/plain',
      'text/plain; charset=utf-8',
      'text/plain; application/json',
      'text/plain, application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data; boundary=application/json',
      'text/json',
      'application/jsonp',
      'application/json-seq',
      'application/json2',
      'application/xjson',
      'xapplication/json',
      'application/json, text/plain',
      '"application/json"',
      'application/ json',
      '*/*',
      '',
    ].map((type): RequestVector => [`Content-Type: ${type}`, { type: [`Content-Type: ${type}`] }]),
    ['no Content-Type', { type: [] }],
    [
      'two types, the simple one first',
      { type: ['Content-Type: text/plain', 'Content-Type: application/json'] },
    ],
    [
      'a compressed body',
      { add: ['Content-Encoding: gzip'], body: '\x1f\x8b\x08\x00{length}', framing: ['Content-Length: 6'] },
    ],
    [
      'a form whose text is JSON',
      { type: ['Content-Type: text/plain'], body: '{body}=', framing: ['Transfer-Encoding: chunked'] },
      { serve: ['4xx'] },
    ],
  ],
}

const methods: RequestGroup = {
  title: 'an unusual method',
  answers: { serve: ['4xx'], listen: ['4xx'] },
  closes: false,
  vectors: [
    ...[
      'TRACE',
      'TRACK',
      'OPTIONS',
      'PATCH',
      'HEAD',
      'PROPFIND',
      'COPY',
      'MOVE',
      'LINK',
      'PURGE',
      'SEARCH',
      'M-SEARCH',
      'PRI',
      'DELETE',
      'PUT',
      'GET\x00',
      'post',
      'P\u00d6ST',
      'POST\tX',
    ].map((method): RequestVector => [method, { method }]),
    [
      'an offer of HTTP/2 is declined, and the request answered',
      { add: ['Connection: Upgrade', 'Upgrade: h2c'] },
      fine,
    ],
    [
      'an offer of another protocol is declined, and the request answered',
      { add: ['Connection: Upgrade, X', 'Upgrade: TLS/1.0, x/1'] },
      fine,
    ],
    ['CONNECT to another machine', { method: 'CONNECT', target: 'evil.test:443' }],
    ['CONNECT to this machine', { method: 'CONNECT', target: '127.0.0.1:22' }],
    ['OPTIONS *', { method: 'OPTIONS', target: '*' }],
    [
      'a preflight of a page on another site',
      {
        method: 'OPTIONS',
        ...from('http://evil.test'),
        type: [
          'Access-Control-Request-Method: POST',
          'Access-Control-Request-Headers: authorization,content-type',
          'Access-Control-Request-Private-Network: true',
        ],
      },
    ],
    [
      'a preflight of a page on the same origin',
      { method: 'OPTIONS', ...from('http://localhost:4680'), type: ['Access-Control-Request-Method: POST'] },
    ],
    [
      'GET that overrides its method by a header',
      {
        method: 'GET',
        target: '{path}/none',
        add: ['X-HTTP-Method-Override: POST', 'X-HTTP-Method: POST', 'X-Method-Override: POST'],
      },
    ],
    [
      'GET that overrides its method in the query',
      { method: 'GET', target: '{path}/none?_method=POST&method=POST' },
    ],
    ['HTTP/2 without TLS', { before: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' }],
    ['TLS', { before: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' }],
    ['SSH', { before: 'SSH-2.0-OpenSSH_9.6\r\n' }],
    ['SOCKS', { before: '\x05\x01\x00' }],
    ['the PROXY protocol', { before: 'PROXY TCP4 127.0.0.1 127.0.0.1 1 1\r\n' }],
    ['an unknown expectation', { add: ['Expect: 200-ok'] }],
  ],
}

const chunked = ['Transfer-Encoding: chunked']
const whole = '{hex}\r\n{body}\r\n0\r\n\r\n'
const encoded = (value: string, body = whole): RequestVector => [
  `Transfer-Encoding:${value}`,
  { framing: [`Transfer-Encoding:${value}`], body },
]
const sizedAs = (line: string): RequestVector => [
  `the chunk size ${JSON.stringify(line)}`,
  { framing: chunked, body: `${line}\r\n{body}\r\n0\r\n\r\n` },
]

const smuggling: RequestGroup = {
  title: 'request smuggling with an ambiguous end of the request',
  answers: { serve: ['4xx'], listen: ['4xx'] },
  vectors: [
    ['one length is accepted', { add: [last] }, fine],
    ['chunks are accepted', { framing: chunked, body: whole, add: [last] }, fine],
    ['a length and chunks', { framing: ['Content-Length: {length}', ...chunked], body: whole }],
    ['chunks and a length', { framing: [...chunked, 'Content-Length: {length}'], body: whole }],
    ['chunks and the length 0', { framing: [...chunked, 'Content-Length: 0'], body: whole }],
    [
      'the length 6 and no chunks, followed by a request',
      { framing: ['Content-Length: 6', ...chunked], body: '0\r\n\r\nG', behind: 'good' },
    ],
    ['two lengths', { framing: ['Content-Length: {length}', 'Content-Length: 0'] }],
    ['two lengths in reverse order', { framing: ['Content-Length: 0', 'Content-Length: {length}'] }],
    ['the same length twice', { framing: ['Content-Length: {length}', 'Content-Length: {length}'] }],
    ...[
      '{length}, {length}',
      '{length},',
      '+{length}',
      '-1',
      '-{length}',
      '0x{hex}',
      '{length}.0',
      '{length}e0',
      '1 7',
      '{length}\t7',
      '99999999999999999999999',
      '18446744073709551615',
      'x',
      '"{length}"',
      '{length};q=1',
      '\x0b{length}',
      '',
    ].map(
      (length): RequestVector => [`Content-Length: ${length}`, { framing: [`Content-Length: ${length}`] }],
    ),
    ['a space after the name Content-Length', { framing: ['Content-Length : {length}'] }],
    ['a length on a folded line', { framing: ['Content-Length:\r\n {length}'] }],
    [
      'no length, so that the next bytes are a new request',
      { framing: [], body: '', behind: 'good' },
      { serve: [400, 200], listen: [400, 200] },
    ],
    ...[
      ' xchunked',
      ' chunkedx',
      ' chunked, identity',
      ' identity',
      ' identity, chunked',
      ' chunked, chunked',
      ' gzip, chunked',
      ' gzip',
      ' chunked;q=1',
      ' "chunked"',
      ' \x0bchunked',
      ' chunked\x0b',
      ' chunked\x00',
      ' chunked,',
      ' ,chunked',
      '',
      ' chun\u212aed',
      '\r\n chunked',
      ' cow',
    ].map((value) => encoded(value)),
    ['two encodings', { framing: [...chunked, 'Transfer-Encoding: identity'], body: whole }],
    ['two encodings in reverse order', { framing: ['Transfer-Encoding: identity', ...chunked], body: whole }],
    ['an unknown encoding before chunked', { framing: ['Transfer-Encoding: x', ...chunked], body: whole }],
    ['a space after the name Transfer-Encoding', { framing: ['Transfer-Encoding : chunked'], body: whole }],
    [
      'a space before the name Transfer-Encoding',
      { framing: ['Content-Length: 5', ' Transfer-Encoding: chunked'], body: whole },
    ],
    [
      'an underscore in the name of the encoding, with a length',
      { framing: ['Transfer_Encoding: chunked', 'Content-Length: 5'], body: whole },
    ],
    ['chunks over HTTP/1.0', { version: 'HTTP/1.0', framing: chunked, body: whole }],
    ...[
      '-1',
      '+{hex}',
      '0x{hex}',
      ' {hex}',
      '{hex} ',
      '{hex}\t',
      'FFFFFFFFFFFFFFFFF',
      '10000000000000000',
      '1_0',
      '',
      'zz',
      '{hex}\x00',
      '{hex};a="\n"',
      `{hex};${'a'.repeat(20_000)}`,
    ].map(sizedAs),
    ['a chunk longer than its size', { framing: chunked, body: '{hex}\r\n{body}XX\r\n0\r\n\r\n' }],
    ['a chunk size that ends with LF', { framing: chunked, body: '{hex}\n{body}\r\n0\r\n\r\n' }],
    ['a chunk that ends with LF', { framing: chunked, body: '{hex}\r\n{body}\n0\r\n\r\n' }],
    ['a chunk that ends with CR', { framing: chunked, body: '{hex}\r\n{body}\r0\r\n\r\n' }],
    [
      'a trailer with a length',
      { framing: chunked, body: '{hex}\r\n{body}\r\n0\r\nContent-Length: 5\r\n\r\n' },
    ],
    [
      'a trailer with an encoding',
      { framing: chunked, body: '{hex}\r\n{body}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n' },
    ],
    [
      'a trailer of 20 KB',
      { framing: chunked, body: `{hex}\r\n{body}\r\n0\r\nX: ${'y'.repeat(20_000)}\r\n\r\n` },
    ],
  ],
}

const protocol: RequestGroup = {
  title: 'lines that other parsers interpret differently',
  answers: { serve: ['4xx'], reading: ['4xx'], listen: ['4xx'] },
  vectors: [
    ['lines that end with LF', { lineEnd: '\n' }],
    ['lines that end with CR', { lineEnd: '\r' }],
    ['lines that end with LF CR', { lineEnd: '\n\r' }],
    ...['a\rb', 'a\nb', 'a\x00b', 'a\x7fb', 'a\r b', 'a\r\n b', 'a\r\n\tb', 'a\r\n'].map(
      (value): RequestVector => [
        `a header with ${JSON.stringify(value)}`,
        { add: [`X-Padding: ${value}${value.endsWith('\n') ? 'no colon' : ''}`] },
      ],
    ),
    ...[
      'no colon',
      ': no name',
      'two words: x',
      ' folded: x',
      '\tfolded: x',
      'n\x00l: x',
      'n\u00e4me: x',
      '(name): x',
      'name\r: x',
    ].map((line): RequestVector => [`the header line ${JSON.stringify(line)}`, { add: [line] }]),
    ['a folded line before all others', { host: [' X: y', 'Host: localhost'] }],
    ['Host on a folded line', { host: ['Host:', ' localhost'] }],
    ['Host with NUL', { host: ['Host: localhost\x00.evil.test'] }],
    ...[
      'HTTP/0.9',
      'HTTP/1.2',
      'HTTP/2.0',
      'HTTP/3',
      'HTTP/1',
      'HTTP/01.1',
      'HTTP/1.10',
      'http/1.1',
      'HTTPS/1.1',
      'ICE/1.0',
      'HTTP/1.1 x',
      '',
    ].map((version): RequestVector => [`the version “${version}”`, { version }]),
    ['a space before the request', { before: ' ' }],
    ['a tab in the request line', { target: '\t{path}' }],
    ['NUL in the target', { target: '{path}\x00' }],
    ['a control character in the target', { target: '{path}\x1b[2J' }],
    ['headers of 17 KB', { add: [`${marker}${'x'.repeat(17 * 1024)}`] }],
    ['a target of 17 KB', { target: `{path}?${'x'.repeat(17 * 1024)}` }],
    ['5,000 headers', { add: Array.from({ length: 5000 }, (_, i) => `x${i}: `) }],
  ],
}

const pipelining: RequestGroup = {
  title: 'a valid request after a refused request on the same connection',
  answers: { serve: [400], listen: ['4xx'] },
  vectors: [
    ['a valid first request is accepted', { behind: 'good' }, { serve: [200, 200], listen: [200, 200] }],
    ['a foreign Host', { host: ['Host: evil.test'], behind: 'good' }],
    ['a foreign Origin', { add: ['Origin: http://evil.test'], behind: 'good' }],
    ['another host in the target', { target: 'http://evil.test{path}', behind: 'good' }],
    [
      'an unexpected Transfer-Encoding',
      { framing: ['Transfer-Encoding: gzip, chunked'], body: whole, behind: 'good' },
    ],
    ['bytes that are not HTTP', { before: 'hello\r\n\r\n', behind: 'good' }],
    ['two lengths', { framing: ['Content-Length: {length}', 'Content-Length: 0'], behind: 'good' }],
    [
      'a foreign Host that offers HTTP/2',
      { host: ['Host: evil.test'], add: ['Connection: Upgrade', 'Upgrade: h2c'], behind: 'good' },
    ],
  ],
}

export const requestGroups: readonly RequestGroup[] = [
  rebinding,
  targets,
  origins,
  forms,
  methods,
  smuggling,
  protocol,
  pipelining,
]
