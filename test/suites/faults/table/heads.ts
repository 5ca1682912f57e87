import { early, fine, lost, notHttp, silent, unread } from '../expected.ts'
import { type Fault, good } from '../fault.ts'
import { answer, anything, drip, end, repeat, request, reset, send, stall } from '../script.ts'

const ok = 'HTTP/1.1 200 OK\r\n'
const json = 'content-type: application/json\r\n'
const whole = `${json}content-length: ${good.length}\r\n\r\n${good}`

const notStatusLines: readonly (readonly [name: string, text: string | Uint8Array])[] = [
  ['greets like a mail server', '220 mail.test ESMTP ready\r\n'],
  ['greets like an SSH server', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['responds with a TLS alert, because its port requires TLS', new Uint8Array([0x15, 3, 3, 0, 2, 2, 0x46])],
  ['responds with a frame of HTTP/2', new Uint8Array([0, 0, 0, 4, 0, 0, 0, 0, 0])],
  ['responds in HTTP/0.9, without a status line', good],
  ['responds with a status line of ICY streaming', `ICY 200 OK\r\n${whole}`],
  ['responds with zeros', new Uint8Array(4096)],
  ['responds with a status that is not a number', `HTTP/1.1 abc\r\n${whole}`],
  ['responds with a status of two digits', `HTTP/1.1 20\r\n${whole}`],
  ['responds with a status of four digits', `HTTP/1.1 2000 OK\r\n${whole}`],
  ['responds with a negative status', `HTTP/1.1 -200 OK\r\n${whole}`],
  ['responds in an unknown version of HTTP', `HTTP/7.7 200 OK\r\n${whole}`],
]

const notHeaders: readonly (readonly [name: string, lines: string])[] = [
  ['a header without a colon', `x\r\n${whole}`],
  ['a space in the name of a header', `x y: z\r\n${whole}`],
  ['a NUL in a header', `x: \0\r\n${whole}`],
  ['a header without a name', `: x\r\n${whole}`],
  ['a length that is not a number', `${json}content-length: x\r\n\r\n${good}`],
  ['a negative length', `${json}content-length: -1\r\n\r\n${good}`],
  ['both a length and chunks', `transfer-encoding: chunked\r\n${whole}`],
]

/** Impossible lengths of the body. undici reports such a length as a broken connection. */
const wrongLengths: readonly (readonly [name: string, lines: string])[] = [
  ['a length beyond all numbers', `${json}content-length: ${'9'.repeat(30)}\r\n\r\n${good}`],
  ['two different lengths', `content-length: 7\r\n${whole}`],
]

export const heads: readonly Fault[] = [
  ...notStatusLines.map(
    ([name, text]): Fault => ({ name, does: [request, send(text), end], expect: notHttp }),
  ),
  {
    name: 'sends the greeting of a mail server before the request',
    does: [send('220 mail.test\r\n'), stall],
    expect: unread(notHttp),
  },
  ...(['H', 'HTTP/1.1 2', 'HTTP/1.1 200 OK', ok] as const).flatMap((part): Fault[] => [
    {
      name: `closes the connection after ${JSON.stringify(part)}`,
      does: [request, send(part), end],
      expect: lost,
    },
    {
      name: `resets the connection after ${JSON.stringify(part)}`,
      does: [request, send(part), reset],
      expect: lost,
    },
    {
      name: `stalls after ${JSON.stringify(part)}`,
      does: [request, send(part), stall],
      expect: silent,
      stalls: true,
    },
  ]),
  ...(['content-le', 'content-length: 10', `${json}content-length: 10\r\n`] as const).flatMap(
    (part): Fault[] => [
      {
        name: `closes the connection after ${JSON.stringify(part)} in the headers`,
        does: [request, send(ok, part), end],
        expect: lost,
      },
      {
        name: `resets the connection after ${JSON.stringify(part)} in the headers`,
        does: [request, send(ok, part), reset],
        expect: lost,
      },
      {
        name: `stalls after ${JSON.stringify(part)} in the headers`,
        does: [request, send(ok, part), stall],
        expect: silent,
        stalls: true,
      },
    ],
  ),
  ...wrongLengths.map(
    ([what, lines]): Fault => ({
      name: `responds with ${what}`,
      does: [request, send(ok, lines), end],
      expect: notHttp,
      undici: { expect: lost },
    }),
  ),
  ...notHeaders.map(
    ([what, lines]): Fault => ({
      name: `responds with ${what}`,
      does: [request, send(ok, lines), end],
      expect: notHttp,
    }),
  ),
  {
    name: 'responds with a status line that never ends',
    does: [request, send('HTTP/1.1 200 '), repeat('O'.repeat(1000))],
    expect: notHttp,
    undici: { expect: silent, stalls: true },
  },
  {
    name: 'responds with a header of 100 KB',
    does: [request, send(ok, `x: ${'x'.repeat(1e5)}\r\n`, whole)],
    expect: notHttp,
  },
  {
    name: 'responds with 10,000 headers',
    does: [request, send(ok, 'x: y\r\n'.repeat(1e4), whole)],
    expect: notHttp,
  },
  {
    name: 'responds with headers that never end',
    does: [request, send(ok), repeat('x: y\r\n'.repeat(100))],
    expect: notHttp,
  },
  {
    name: 'sends endless headers slowly',
    does: [request, send(ok), drip('x: y\r\n'.repeat(200), 3, 20)],
    expect: silent,
    stalls: true,
  },
  {
    name: 'sends the headers slowly',
    does: [request, drip(ok + json, 4, 1), send(`content-length: ${good.length}\r\n\r\n`, good)],
    expect: fine,
  },
  { name: 'omits the reason phrase', does: [request, send(`HTTP/1.1 200\r\n${whole}`)], expect: fine },
  { name: 'sends its content type twice', does: [request, send(ok, json, whole)], expect: fine },
  {
    name: 'sends the same header 50 times',
    does: [request, send(ok, 'x: y\r\n'.repeat(50), whole)],
    expect: fine,
  },
  {
    name: 'has headers that are not ASCII',
    does: [request, send(ok, 'x: \xe9\xff\r\n', whole)],
    expect: fine,
  },
  {
    name: 'sends 102 and 103 first',
    does: [
      request,
      send('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', ok, whole),
    ],
    expect: fine,
  },
  {
    name: 'sends 103 a thousand times first',
    does: [request, repeat('HTTP/1.1 103 Early Hints\r\n\r\n', 1000), send(ok, whole)],
    expect: fine,
  },
  {
    name: 'sends 103 without end',
    does: [request, repeat('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20))],
    expect: silent,
    stalls: true,
  },
  {
    name: 'sends an unrequested 100 first',
    does: [request, send('HTTP/1.1 100 Continue\r\n\r\n', ok, whole)],
    expect: fine,
    // undici treats an unrequested 100 Continue as an error. The program never switches to undici after one.
    undici: { expect: lost },
  },
  {
    name: 'switches to another protocol',
    does: [
      request,
      send('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
      stall,
    ],
    expect: lost,
  },
  {
    name: 'sends a response before the request',
    does: [send(ok, whole), anything, request, stall],
    expect: unread(fine),
    undici: { expect: early },
  },
  { name: 'responds twice', does: [request, answer(200, good), answer(200, good)], expect: fine },
]
