import { type FakeService, service, writesAnswer, writesSay, writesShow } from '../fake.ts'
import type { Proof } from '../proof.ts'
import { acknowledging, denying, garbling, html, isHtml, isText } from './common.ts'

/** Bodies that neither show the resource nor acknowledge the write. */
const emptyWords: readonly (readonly [name: string, body: unknown, headers?: Record<string, string>])[] = [
  ['HTML', html, isHtml],
  ['HTML that is labelled JSON', html],
  ['plain text', 'OK', isText],
  ['null', 'null'],
  ['an empty list', '[]'],
  ['a list', '[{}]'],
  ['a text in JSON', '"done"'],
  ['a number', '42'],
  ['true', 'true'],
  ['false', 'false'],
  ['a cut body', '{"room":{"id":"0123'],
  ['{"error":"no"}', { error: 'no' }],
  ['{"error":{"message":"no"}}', { error: { message: 'no' } }],
  ['{"errors":["no"]}', { errors: ['no'] }],
  ['{"success":false}', { success: false }],
  ['{"ok":false}', { ok: false }],
  ['{"ok":false} with a message', { ok: false, message: 'no' }],
]

/** Bodies that acknowledge a write without showing the resource. */
const acknowledgements: readonly (readonly [name: string, body: unknown])[] = [
  ['{}', {}],
  ['{"ok":true}', { ok: true }],
  ['{"success":true}', { success: true }],
  ['no body', ''],
]

/** Returns the proof of a body of `emptyWords`, whose objects all report failures. */
const proofOf = (body: unknown): Proof => {
  const saysNo = typeof body === 'object' && body !== null && Object.keys(body).length > 0
  return { answers: saysNo ? 'denies' : 'garbles' }
}
const idle = emptyWords.map(([name, body, headers]) =>
  service(
    `responds with ${name} to writes without executing them`,
    writesAnswer(false, 200, body, headers),
    proofOf(body),
  ),
)
const executing = [
  ...emptyWords.map(([name, body, headers]) =>
    service(
      `executes writes and responds with ${name}`,
      writesAnswer(true, 200, body, headers),
      proofOf(body),
    ),
  ),
  ...acknowledgements.map(([name, body]) =>
    service(`executes writes and responds with ${name}`, writesAnswer(true, 200, body), acknowledging),
  ),
]
const lying = acknowledgements.map(([name, body]) =>
  service(
    `responds with ${name} to writes without executing them`,
    writesAnswer(false, 200, body),
    acknowledging,
  ),
)
const statuses = [
  ...[201, 202, 204].map((status) =>
    service(
      `executes writes and responds with ${status} without a body`,
      writesAnswer(true, status, ''),
      acknowledging,
    ),
  ),
  ...[301, 302, 303, 307, 308].map((status) =>
    service(
      `redirects writes with ${status}`,
      writesAnswer(false, status, '', { location: 'https://login.test/' }),
      { answers: status === 303 ? 'loses' : 'denies' },
    ),
  ),
  ...[400, 401, 402, 404, 405, 409, 410, 418, 422, 501].map((status) =>
    service(`responds with ${status} to writes`, writesAnswer(false, status, { error: 'no' }), {
      answers: status === 501 ? 'loses' : 'denies',
    }),
  ),
  service(
    'executes writes and responds with 500 and JSON',
    writesAnswer(true, 500, { error: { message: 'late' } }),
    denying,
  ),
  service('executes writes and responds with 502', writesAnswer(true, 502, html, isHtml), {
    answers: { delete: 'misses', other: 'loses' },
  }),
]

/** Proof of messages and pages, which need no ID. */
const events = { message: 'shows', pages: 'shows' } as const

const contradictions = [
  service(
    'does not execute writes and returns the unchanged resource',
    writesShow(false, (item) => item),
    { answers: { change: 'garbles', message: 'acknowledges', pages: 'acknowledges', other: 'claims' } },
  ),
  service(
    'executes writes and shows another ID',
    writesShow(true, (item) => ({ ...item, id: 'another', user_id: 'another' })),
    // A client cannot know the ID that the service has chosen.
    { answers: { room: 'shows', ...events, other: 'garbles' }, reads: { room: 'never' } },
  ),
  service(
    'does not execute writes and shows another ID',
    writesShow(false, (item) => ({ ...item, id: 'another', user_id: 'another' })),
    {
      answers: { room: 'claims', message: 'acknowledges', pages: 'acknowledges', other: 'garbles' },
      reads: { room: 'never' },
    },
  ),
  service(
    'does not execute writes and shows another role',
    writesShow(false, (item) => ({ ...item, type: item['type'] === 'host' ? 'guest' : 'host' })),
    {
      answers: {
        ...{ user: 'claims', delete: 'claims', message: 'acknowledges', pages: 'acknowledges' },
        // The wrong role in the response may equal the requested role.
        ...{ change: ['garbles', 'claims'], other: 'garbles' },
      },
    },
  ),
  service(
    'executes writes and shows is_blocked false',
    writesShow(true, (item) => ('is_blocked' in item ? { ...item, is_blocked: false } : item)),
  ),
  service(
    'executes writes and shows terminated_at null',
    writesShow(true, (item) => ('terminated_at' in item ? { ...item, terminated_at: null } : item)),
  ),
  service(
    'executes writes and shows no ID',
    writesShow(true, ({ id: _, user_id: __, ...item }) => item),
    { answers: { ...events, other: 'garbles' } },
  ),
  service(
    'executes writes and shows a null ID',
    writesShow(true, (item) => ({ ...item, id: null })),
    { answers: { ...events, user: 'shows', other: 'garbles' } },
  ),
  service(
    'executes writes and shows null',
    writesShow(true, () => null),
    { answers: { message: 'shows', other: 'garbles' } },
  ),
  service(
    'executes writes and trims names',
    writesShow(true, (item) => ({ ...item, name: String(item['name']).trim().toUpperCase() })),
    { answers: { change: ['shows', 'garbles'] } },
  ),
  service(
    'adds an empty list of errors to its responses',
    writesSay((text) => text.replace(/}$/, ',"errors":[],"error":null}')),
  ),
  service(
    'executes writes and cuts the body',
    writesSay((text) => text.slice(0, -5)),
    garbling,
  ),
  service(
    'executes writes and adds text after the body',
    writesSay((text) => `${text}<br>`),
    garbling,
  ),
]

/** Services with unusual responses to writes. */
export const answers: readonly FakeService[] = [
  ...idle,
  ...lying,
  ...executing,
  ...statuses,
  ...contradictions,
]
