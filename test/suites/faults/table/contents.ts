import {
  acknowledged,
  contradicted,
  type Expected,
  fine,
  nullResources,
  otherName,
  saysNo,
  unproven,
} from '../expected.ts'
import { type Fault, good } from '../fault.ts'
import { answer, request } from '../script.ts'

/** Bodies that are not valid responses. */
const unusable: readonly (readonly [
  name: string,
  body: string | Uint8Array,
  says: string | undefined,
  expect?: Expected,
])[] = [
  ['nothing', '', undefined, acknowledged],
  ['spaces', '   \n', 'it is not valid JSON'],
  ['half of the JSON', good.slice(0, 50), 'it is not valid JSON'],
  ['JSON twice', good + good, 'it is not valid JSON'],
  ['JSON with a comma too many', good.replace(/}$/, ',}'), 'it is not valid JSON'],
  ['NaN', '{"rooms":NaN,"room":NaN}', 'it is not valid JSON'],
  ['JSON in UTF-16', Buffer.from(good, 'utf16le'), 'it is not valid JSON'],
  ['JSON in Latin-1', Buffer.from('{"room":{"id":"\xe9"}}', 'latin1'), 'it is not valid JSON'],
  ['JSON behind an XSSI guard', `)]}',\n${good}`, 'it is not valid JSON'],
  ['100,000 opening brackets', '['.repeat(1e5), 'it is not valid JSON'],
  ['JSON nested 100,000 deep', '['.repeat(1e5) + ']'.repeat(1e5), 'it is nested more than 200 levels deep'],
  [
    'null',
    'null',
    undefined,
    { ...nullResources, list: unproven.list, get: { ...unproven.get, requests: 2, connections: 'kept' } },
  ],
  ['a list', '[]', 'it is not an object'],
  ['a text', '"ok"', 'it is not an object'],
  ['a number', '200', 'it is not an object'],
  ['an empty object', '{}', undefined, acknowledged],
  ['an error with status 200', '{"error":{"code":"unauthorized","message":"no"}}', 'no', saysNo],
  ['null for everything', '{"rooms":null,"room":null}', 'room', nullResources],
  ['texts for everything', '{"rooms":"none","room":"none"}', 'room'],
  ['an object instead of a list, and the reverse', '{"rooms":{},"room":[]}', 'room'],
  ['items without ids', '{"rooms":[{"name":"a"}],"room":{"name":"a"}}', undefined, acknowledged],
  ['items with empty ids', '{"rooms":[{"id":""}],"room":{"id":""}}', undefined, acknowledged],
  ['items with objects for ids', '{"rooms":[{"id":{}}],"room":{"id":{}}}', undefined, acknowledged],
  ['ids beyond all numbers', '{"rooms":[{"id":1e999}],"room":{"id":1e999}}', undefined, acknowledged],
]

/** Unusual but valid bodies. */
const usable: readonly (readonly [name: string, body: string | Uint8Array, expect?: Expected])[] = [
  ['JSON behind a byte order mark', `\ufeff${good}`],
  ['JSON with a field named __proto__', good.replace('{', '{"__proto__":{"x":1},')],
  ['JSON with a field twice', good.replace('{', '{"room":null,')],
  ['JSON nested 180 deep', good.replace('{', `{"deep":${'['.repeat(180)}${']'.repeat(180)},`)],
  ['JSON with a text of 5 MB', good.replace('{', `{"long":"${'x'.repeat(5e6)}",`)],
  [
    'JSON with escape sequences in its texts',
    good.replaceAll('Weekly', '\\u001b]52;c;eA==\\u0007'),
    otherName,
  ],
]

const types = ['text/html', 'text/plain; charset=utf-16', 'application/xml', 'garbage', '']

/** Bodies, statuses and types of successful responses. */
export const contents: readonly Fault[] = [
  ...unusable.map(
    ([what, body, says, expect = unproven]): Fault => ({
      name: `responds with 200 and ${what}`,
      does: [request, answer(200, body)],
      expect,
      ...(says !== undefined && { says }),
    }),
  ),
  {
    name: 'responds with 200 and a page of HTML',
    does: [
      request,
      answer(200, '<!doctype html><title>Log in</title>', { 'content-type': 'text/html; charset=utf-8' }),
    ],
    expect: unproven,
    says: 'it is text/html, not JSON',
  },
  ...[201, 202, 203, 206, 226, 299].map(
    (status): Fault => ({
      name: `responds with ${status}`,
      does: [request, answer(status, good)],
      expect: fine,
    }),
  ),
  {
    name: 'responds with 204, without a body',
    does: [request, answer(204, '')],
    expect: acknowledged,
  },
  {
    name: 'responds with 205, without a body',
    does: [request, answer(205, '')],
    expect: acknowledged,
  },
  {
    name: 'responds with 200 and JSON with ids that are numbers',
    does: [request, answer(200, '{"rooms":[{"id":7}],"room":{"id":7}}')],
    expect: contradicted,
  },
  ...usable.map(
    ([what, body, expect = fine]): Fault => ({
      name: `responds with 200 and ${what}`,
      does: [request, answer(200, body)],
      expect,
    }),
  ),
  ...types.map(
    (type): Fault => ({
      name: `responds with JSON declared as “${type}”`,
      does: [request, answer(200, good, { 'content-type': type })],
      expect: fine,
    }),
  ),
]
