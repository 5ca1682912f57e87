import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePlainResponse, type Receiver } from '../../../src/client/http/plain-answer.ts'
import { parse } from '../../helpers/llhttp.ts'

/** Takes note of what it is told. */
function recorder(stopsAt?: keyof Receiver) {
  const told: unknown[] = []
  const note =
    (name: keyof Receiver) =>
    (...values: unknown[]) => {
      told.push([name, ...values.map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value))])
      return name === stopsAt ? -1 : 0
    }
  const receiver: Receiver = {
    onMessageBegin: note('onMessageBegin'),
    onStatus: note('onStatus'),
    onHeaderField: note('onHeaderField'),
    onHeaderValue: note('onHeaderValue'),
    onHeadersComplete: note('onHeadersComplete'),
    onBody: note('onBody'),
    onMessageComplete: note('onMessageComplete'),
  }
  return { told, receiver }
}

function pass(text: string, stopsAt?: keyof Receiver) {
  const { told, receiver } = recorder(stopsAt)
  return { passed: parsePlainResponse(Buffer.from(text, 'latin1'), receiver), told }
}

const answer = (head: string, body = '{}') => `${head.replaceAll('\n', '\r\n')}\r\n\r\n${body}`

const usual = [
  [
    'of node:http',
    answer(
      'HTTP/1.1 200 OK\ncontent-type: application/json\nDate: Sun, 22 Nov 2026 10:00:00 GMT\nConnection: keep-alive\nKeep-Alive: timeout=5\nContent-Length: 2',
    ),
  ],
  ['without a space after the colon', answer('HTTP/1.1 404 Not Found\nContent-Length:2')],
  ['without a body', answer('HTTP/1.1 200 OK\ncontent-length: 0', '')],
  ['with arbitrary bytes in the body', answer('HTTP/1.1 500 Oh\ncontent-length: 4', '\0\xff\r\n')],
] as const

test.each(usual)('the plain response reader parses a response %s like the full parser', (_, text) => {
  const { passed, told } = pass(text)
  const { told: expected, receiver } = recorder()
  expect(parse(Buffer.from(text, 'latin1'), receiver)).toBe(0)
  expect(passed).toBe(true)
  expect(told).toEqual(expected)
})

test.each([
  ['is cut off', answer('HTTP/1.1 200 OK\ncontent-length: 3')],
  ['is followed by another response', answer('HTTP/1.1 200 OK\ncontent-length: 1')],
  ['has no length', answer('HTTP/1.1 200 OK\nx: y')],
  ['has two lengths', answer('HTTP/1.1 200 OK\ncontent-length: 2\ncontent-length: 2')],
  ['has a length with a sign', answer('HTTP/1.1 200 OK\ncontent-length: +2')],
  ['has a chunked body', answer('HTTP/1.1 200 OK\ncontent-length: 2\nTransfer-Encoding: chunked')],
  ['closes the connection', answer('HTTP/1.1 200 OK\ncontent-length: 2\nConnection: close')],
  ['switches to another protocol', answer('HTTP/1.1 200 OK\ncontent-length: 2\nUpgrade: h2c')],
  ['is an interim response', answer('HTTP/1.1 103 Early Hints\ncontent-length: 2')],
  ['has a status that permits no body', answer('HTTP/1.1 204 No Content\ncontent-length: 2')],
  ['has an older version of HTTP', answer('HTTP/1.0 200 OK\ncontent-length: 2')],
  ['folds a header', answer('HTTP/1.1 200 OK\nx: y\n z\ncontent-length: 2')],
  ['has bytes outside ASCII in a header', answer('HTTP/1.1 200 OK\nx: \xe9\ncontent-length: 2')],
  ['ends its lines without carriage returns', 'HTTP/1.1 200 OK\ncontent-length: 2\n\n{}'],
  ['has a long head', answer(`HTTP/1.1 200 OK\nx: ${'y'.repeat(9000)}\ncontent-length: 2`)],
])('the plain response reader passes a response that %s to the full parser', (_, text) => {
  expect(pass(text)).toEqual({ passed: false, told: [] })
})

test('the plain response reader calls no further handler after its consumer stops', () => {
  const [[, text]] = usual
  for (const name of ['onMessageBegin', 'onHeadersComplete', 'onBody'] as const) {
    const { passed, told } = pass(text, name)
    expect(passed).toBe(true)
    expect(told.at(-1)).toEqual(expect.arrayContaining([name]))
  }
})

test('the plain response reader parses any response that it accepts like the full parser, to the same end position', () => {
  const mostly = <T>(usual: T, ...others: T[]) =>
    fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, fc.constantFrom(...others))
  const first = fc.tuple(
    mostly('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'ICY', ' HTTP/1.1'),
    mostly(' 200', ' 201', ' 404', ' 100', ' 204', ' 304', ' 600', ' 20', '  200'),
    mostly(' OK', ' Not Found', ' ', '', ' \t', ' a\tb', ' \xe9'),
  )
  const length = mostly('Content-Length: 2', 'content-length:2', 'content-length: 3', 'content-length: 02')
  const oddLength = fc.constantFrom('content-length: 2 ', 'content-length:  2', 'content-length : 2', 'x: y')
  const header = fc.constantFrom(
    'date: today',
    'x: y z',
    'a: b;c=","',
    'connection: Keep-Alive',
    'keep-alive: x',
  )
  const oddHeader = fc.oneof(
    fc.constantFrom(
      'content-length: 2',
      'connection: keep-alive, close',
      'connection : close',
      'transfer-encoding: identity',
      'proxy-connection: close',
      'upgrade: x',
      'x:',
      'x: ',
      'x:\ty',
      ': y',
      ' x: y',
      'x y: z',
      'x\0: y',
    ),
    fc.tuple(fc.string(), fc.string({ unit: 'binary' })).map(([name, value]) => `${name}: ${value}`),
  )
  const rarely = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 12, arbitrary: usual }, odd)
  const lines = fc.tuple(
    fc.array(rarely(header, oddHeader), { maxLength: 3 }),
    rarely(length, oddLength),
    fc.array(rarely(header, oddHeader), { maxLength: 2 }),
  )
  const breaks = mostly('\r\n', '\n', '\r', '\r\n ')
  const body = mostly('{}', '', '\r\n', '{}\r\n', 'HTTP/1.1 200 OK')
  let read = 0
  fc.assert(
    fc.property(first, lines, breaks, body, (status, headers, br, rest) => {
      const text = [status.join(''), ...headers.flat()].join(br) + (br === '\n' ? '\n\n' : '\r\n\r\n') + rest
      const { passed, told } = pass(text)
      if (!passed) {
        expect(told).toEqual([])
        return
      }
      read++
      const { told: expected, receiver } = recorder()
      expect(parse(Buffer.from(text + text, 'latin1'), receiver)).toBe(0)
      expect([...told, ...told]).toEqual(expected)
    }),
    { numRuns: 3000 },
  )
  expect(read).toBeGreaterThan(100)
})
