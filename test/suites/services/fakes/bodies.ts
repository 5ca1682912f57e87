import type { Thing } from '../fake.ts'
import type { Answers } from '../proof.ts'

/** Response to a write, without the resource. */
export interface Words {
  readonly name: string
  readonly body: unknown
  readonly status?: number
  readonly headers?: Record<string, string>
  /** Information in the response; `acknowledges` by default. */
  readonly answers?: Answers | readonly Answers[]
}

const words = (name: string, body: unknown, more: Partial<Words> = {}): Words => ({ name, body, ...more })
const accepted = (location: string) => ({ status: 202, headers: { location } })

/** JSON objects from databases, queues, frameworks and other software. */
const objects: readonly Words[] = [
  words('the count of Prisma', { count: 1 }),
  words('the result of MongoDB', {
    ...{ acknowledged: true, matchedCount: 1, modifiedCount: 1, upsertedCount: 0, upsertedId: null },
  }),
  words('the result of MongoDB for nothing', { acknowledged: true, matchedCount: 0, modifiedCount: 0 }),
  words('the result of Elasticsearch', {
    ...{ _index: 'rooms', _id: '1', _version: 2, result: 'updated', _seq_no: 8, _primary_term: 1 },
    _shards: { total: 2, successful: 1, failed: 0 },
  }),
  words('the result “noop” of Elasticsearch', { _index: 'rooms', _id: '1', _version: 2, result: 'noop' }),
  words('the packet of MySQL', {
    ...{ fieldCount: 0, affectedRows: 1, insertId: 42, serverStatus: 2, warningStatus: 0, changedRows: 1 },
    info: 'Rows matched: 1  Changed: 1  Warnings: 0',
  }),
  words('the capacity of DynamoDB', { ConsumedCapacity: { TableName: 'Rooms', CapacityUnits: 1 } }),
  words('the affected rows of Hasura', { data: { update_rooms: { affected_rows: 1, returning: [] } } }),
  words('a mutation of GraphQL', { data: { updateRoom: { ok: true } } }),
  words('a document of Strapi', { data: { id: 1, attributes: { locale: 'en' } }, meta: {} }),
  words('the message ID of SQS', {
    SendMessageResponse: {
      SendMessageResult: { MessageId: '5fea7756', MD5OfMessageBody: 'fafb00f5732ab283681e124bf8747ed1' },
      ResponseMetadata: { RequestId: '7a62c49f' },
    },
  }),
  words('the offsets of Kafka', {
    ...{ key_schema_id: null, value_schema_id: null },
    offsets: [{ partition: 0, offset: 42, error_code: null, error: null }],
  }),
  words('“routed” of RabbitMQ', { routed: true }),
  words('“routed: false” of RabbitMQ', { routed: false }),
  words('a failed entry of EventBridge', {
    FailedEntryCount: 1,
    Entries: [{ ErrorCode: 'ThrottlingException', ErrorMessage: 'Rate exceeded' }],
  }),
  words('the task of Celery', { task_id: '7d3c9b1e', state: 'PENDING' }, accepted('/tasks/7d3c9b1e')),
  words(
    'an operation of Azure',
    { id: 'op-1', status: 'Running', percentComplete: 0 },
    accepted('/operations/op-1'),
  ),
  words('an operation of Google', { name: 'operations/acf3', metadata: { verb: 'update' }, done: false }),
  words('the push ID of Firebase', { name: '-NfX2b8aQ0' }),
  words('the receipt of a webhook relay', {
    ...{ id: '018f3c1e-7a51', request_id: '018f3c1e-7a51', attempt: '018f3c1e-7a52', status: 'success' },
  }),
  words('an empty message of protobuf', { '@type': 'type.googleapis.com/google.protobuf.Empty' }),
  words('a result of JSON-RPC', { jsonrpc: '2.0', id: 1, result: true }),
  words('{"code":0,"msg":"success","data":null}', { code: 0, msg: 'success', data: null }),
  words('{"code":10021,"msg":"busy","data":null}', { code: 10021, msg: 'system busy', data: null }),
  words('{"status":true,"data":[]}', { status: true, data: [] }),
  words('a failure of JSend', { status: 'fail', data: { name: 'is taken' } }),
  words('{"Success":false} in capitals', { Success: false, Errors: ['busy'] }),
  words('a problem document with status 200', { type: 'about:blank', title: 'Conflict', status: 409 }),
  words('the time-out of a lambda', {
    errorMessage: '2026-01-02T03:04:05.678Z 7a62c49f Task timed out after 3.00 seconds',
    errorType: 'Sandbox.Timedout',
  }),
  words('the wrapped response of a lambda', { statusCode: 200, isBase64Encoded: false, body: '{"ok":true}' }),
  words('a refused part of a batch', { responses: [{ id: '1', status: 409, body: {} }] }, { status: 207 }),
  words('a list under the name of the resource', { room: [], user: [], member: [] }),
  words('an ID in place of the resource', { room: '42', user: '42', member: '42' }),
  words('the names of the changed fields', { changed: ['name'], updated_at: '2026-01-02T03:04:05Z' }),
  words('an empty error', { error: {}, errors: '' }),
]

/** Bodies in other formats, and JSON that is not an object. */
const noObjects: readonly Words[] = [
  words('the affected rows of Sequelize', '[1]'),
  words('XML', '<?xml version="1.0"?><room><status>ok</status></room>', type('application/xml')),
  words(
    'a fault of SOAP',
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultstring>busy</faultstring></s:Fault></s:Body></s:Envelope>',
    type('text/xml'),
  ),
  words('an event stream', 'event: updated\ndata: {"ok":true}\n\n', type('text/event-stream')),
  words('JSON behind a guard', ')]}\',\n{"ok":true}'),
  words('JSON in JSON', '"{\\"ok\\":true}"'),
  words('JSON behind a warning of PHP', '<br />\n<b>Warning</b>: Undefined array key\n{"ok":true}'),
  words('JSON in Base64', 'eyJvayI6dHJ1ZX0='),
  words('a dictionary of Python', "{'ok': True}"),
  words('“undefined”', 'undefined'),
  words('MessagePack', '\u0082\u00a2ok\u00c3', type('application/msgpack')),
  words('a form', 'ok=1&id=42', type('application/x-www-form-urlencoded')),
  words(
    'a challenge page',
    '<html><body><iframe src="/_Incapsula_Resource?x=1"></iframe></body></html>',
    type('text/html'),
  ),
  words(
    'a captive portal',
    '<meta http-equiv="refresh" content="0;url=http://portal.test/login">',
    type('text/html'),
  ),
].map((one) => ({ ...one, answers: 'garbles' as const }))

const refusals: readonly Words[] = [
  words('errors of Rails', { errors: { name: ['has already been taken'] } }),
  words('an error of JSON-RPC', { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'busy' } }),
  words('errors of GraphQL', { data: null, errors: [{ message: 'no', path: ['updateRoom'] }] }),
  words('a refusal of Cloudflare’s API', { success: false, errors: [{ code: 1003 }], result: null }),
  words('a refusal of Slack’s API', { ok: false, error: 'channel_not_found' }),
].map((one) => ({ ...one, answers: 'denies' as const }))

function type(name: string): Partial<Words> {
  return { headers: { 'content-type': name } }
}

/** Bodies that services send whether or not the write was executed. */
export const bodies: readonly Words[] = [...objects, ...noObjects, ...refusals]

/** Envelopes of the resource, for services that execute writes. */
export const envelopes: readonly (readonly [
  name: string,
  wrap: (item: Thing, key: string) => unknown,
  /** Information in the response; `shows` by default. */
  answers?: Answers | readonly Answers[],
])[] = [
  ['with links of HAL', (item) => ({ ...item, _links: { self: { href: `/rooms/${item['id']}` } } })],
  ['embedded by HAL', (item, key) => ({ _embedded: { [key]: item } }), 'garbles'],
  ['as OData', (item) => ({ '@odata.context': '$metadata#Rooms/$entity', '@odata.etag': 'W/"2"', ...item })],
  ['as OData 2', (item) => ({ d: { results: item } }), 'garbles'],
  ['as JSON-LD', (item) => ({ '@context': '/contexts/Room', '@id': '/rooms/1', '@type': 'Room', ...item })],
  // The `type` of a JSON:API document is neither a room type nor a role.
  [
    'as JSON:API',
    ({ id, ...attributes }, key) => ({ data: { type: `${key}s`, id, attributes, links: { self: '/1' } } }),
    ['garbles', 'shows'],
  ],
  ['as a document of Laravel', (item) => ({ status: true, message: 'Saved.', data: item })],
  ['as JSend', (item, key) => ({ status: 'success', data: { [key]: item } }), ['garbles', 'shows']],
  ['with a URL in place of links', (item) => ({ url: 'https://meet.test/v1/1/', ...item })],
  ['as an object of Stripe', (item, key) => ({ object: key, livemode: false, ...item })],
  [
    'with empty errors and a notice',
    (item, key) => ({ [key]: item, error: '', errors: {}, notice: 'Saved' }),
  ],
  ['in a list', (item) => [item], 'garbles'],
  ['in a list under its plural', (item, key) => ({ [`${key}s`]: [item] }), 'garbles'],
  ['before and after', (item) => ({ before: { ...item, name: 'Old' }, after: item }), 'garbles'],
  ['deep in the data of GraphQL', (item, key) => ({ data: { save: { [key]: item } } }), 'garbles'],
  ['as text in JSON', (item, key) => JSON.stringify(JSON.stringify({ [key]: item })), 'garbles'],
  ['as the text of a lambda', (item) => ({ statusCode: 200, body: JSON.stringify(item) }), 'garbles'],
  [
    'with its fields in values',
    (item) => ({ _id: { $oid: item['id'] }, name: { $t: item['name'] } }),
    'garbles',
  ],
  ['by its ID', (item, key) => ({ [key]: { id: item['id'], user_id: item['user_id'] } }), 'names'],
  ['by its ID, as CouchDB', (item) => ({ ok: true, id: item['id'], rev: '2-7051cbe5' }), 'names'],
  ['by its ID, as Salesforce', (item) => ({ id: item['id'], success: true, errors: [] }), 'names'],
  [
    'and an error about something else',
    (item, key) => ({ [key]: item, errors: ['the webhook could not be notified'] }),
    'names',
  ],
]
