import {
  bodiesChange,
  type Exchange,
  edited,
  type FakeService,
  itemsShow,
  mapItems,
  service,
  type Thing,
} from '../fake.ts'

/** Creates a service that stores names in a changed form. */
const names = (name: string, change: (text: string) => string): FakeService =>
  service(
    `stores names ${name}`,
    bodiesChange((body) =>
      typeof body['name'] === 'string' ? { ...body, name: change(body['name']) } : body,
    ),
  )

/** Services that store an equal value, so that commands succeed. */
const equal: readonly FakeService[] = [
  names('in composed letters', (text) => text.normalize('NFC')),
  names('in decomposed letters', (text) => text.normalize('NFD')),
  names('escaped for HTML', (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ),
  names('encoded for URLs', (text) => encodeURIComponent(text)),
  names('padded to 80 characters', (text) => text.padEnd(80)),
  names('with a line feed', (text) => `${text}\n`),
]

/** Services that store a value in another letter case or truncated. */
const similar: readonly FakeService[] = [
  names('in uppercase', (text) => text.toUpperCase()),
  names('in lowercase', (text) => text.toLowerCase()),
  names('with one capital letter at the beginning', (text) => `${text[0]}${text.slice(1).toLowerCase()}`),
  names('in 50 characters', (text) => text.slice(0, 50)),
  names('in 20 lowercase characters', (text) => text.slice(0, 20).toLowerCase()),
  names('up to the first angle bracket', (text) => text.replace(/<.*/, '')),
]

const other: readonly FakeService[] = [
  names('without accents', (text) => text.normalize('NFD').replace(/\p{M}/gu, '')),
  names('as words for URLs', (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')),
  names('without markup', (text) => text.replace(/<[^>]*>/g, '')),
  names('with single spaces', (text) => text.replace(/ +/g, ' ')),
  names('after “Copy of”', (text) => `Copy of ${text}`),
  names('in question marks instead of letters', (text) => text.replace(/[^ -~]/g, '?')),
  names('in 50 characters and an ellipsis', (text) => `${text.slice(0, 49)}…`),
  names('as “default”', () => 'default'),
  service(
    'makes every member a guest',
    bodiesChange((body, path) => (path.includes('/members') ? { ...body, type: 'guest' } : body)),
  ),
  service(
    'makes every room private',
    bodiesChange((body, path) => (path === '/rooms' ? { ...body, type: 'private' } : body)),
  ),
  service(
    'records no room',
    bodiesChange((body, path) => (path === '/rooms' ? { ...body, record: false } : body)),
  ),
  service(
    'rounds times down to minutes',
    bodiesChange((body) =>
      'max_meeting_seconds' in body
        ? { ...body, max_meeting_seconds: Math.floor(body['max_meeting_seconds'] / 60) * 60 }
        : body,
    ),
  ),
  service(
    'stores user IDs in lowercase',
    bodiesChange((body, path) =>
      path === '/users' ? { ...body, user_id: String(body['user_id']).toLowerCase() } : body,
    ),
  ),
  service(
    'adds a namespace to user IDs',
    bodiesChange((body, path) =>
      path === '/users' ? { ...body, user_id: `school:${body['user_id']}` } : body,
    ),
  ),
  service('changes the first field only', bodiesChange(firstField)),
  service(
    'ignores names of rooms that exist',
    bodiesChange(({ name, ...body }, path) => (/^\/rooms\/[^/]+$/.test(path) ? body : { name, ...body })),
  ),
  service(
    'ignores roles of users',
    bodiesChange(({ default_member_type: _, ...body }) => body),
  ),
  service(
    'ignores the members of new rooms',
    bodiesChange((body, path) => (path === '/rooms' ? { ...body, members: [] } : body)),
  ),
]

function firstField(body: Thing, path: string): Thing {
  // POST requests need all fields.
  return /^\/(rooms|users|rooms\/[^/]+\/members|rooms\/[^/]+\/message)$/.test(path)
    ? body
    : Object.fromEntries(Object.entries(body).slice(0, 1))
}

const like: readonly FakeService[] = [
  names('with a number as suffix', (text) => `${text}-2`),
  names('with the date as suffix', (text) => `${text} [2026-01-02]`),
  service(
    'stores emails in lowercase',
    bodiesChange((body) =>
      'email' in body ? { ...body, email: String(body['email']).toLowerCase() } : body,
    ),
  ),
  service(
    'stores no emails',
    bodiesChange(({ email: _, ...body }) => body),
  ),
]

const without = (...fields: string[]) =>
  itemsShow((item) => Object.fromEntries(Object.entries(item).filter(([name]) => !fields.includes(name))))

const listed = {
  room: [
    ...['id', 'type', 'name', 'application_id', 'thumbnail_url', 'layout', 'record', 'meeting_time'],
    ...['started_at', 'terminated_at', 'updated_at', 'created_at', 'is_terminated'],
  ],
  member: ['id', 'user_id', 'room_id', 'type'],
  user: [
    ...['user_id', 'name', 'profile_url', 'default_member_type', 'access_token', 'created_at', 'updated_at'],
  ],
}
const kindOf = (item: Thing) => ('room_id' in item ? 'member' : 'layout' in item ? 'room' : 'user')

export const asSpecified: FakeService = service(
  'shows exactly the fields of the API specification',
  async (request, next) =>
    /\/(sessions|deliveries|pages|message)/.test(request.url)
      ? next()
      : edited(await next(), (body) =>
          mapItems(body, (item) =>
            Object.fromEntries(Object.entries(item).filter(([name]) => listed[kindOf(item)].includes(name))),
          ),
        ),
  { hides: ['is_blocked', 'max_meeting_seconds', 'members', 'email', 'member.name'] },
)

const hidden: readonly FakeService[] = [
  service('shows no type', without('type'), { hides: ['type'] }),
  service('shows no names', without('name'), { hides: ['name', 'member.name'] }),
  service('shows no roles of users', without('default_member_type'), { hides: ['default_member_type'] }),
  service('shows no max_meeting_seconds', without('max_meeting_seconds'), { hides: ['max_meeting_seconds'] }),
  service(
    'shows is_terminated as a boolean',
    itemsShow((item) =>
      'terminated_at' in item ? { ...item, is_terminated: item['terminated_at'] !== null } : item,
    ),
  ),
  service(
    'shows is_terminated as a boolean, and no terminated_at',
    itemsShow(({ terminated_at, ...item }) =>
      terminated_at === undefined ? item : { ...item, is_terminated: terminated_at !== null },
    ),
  ),
  service('shows only the requested fields', onlyAsked()),
  service(
    'sends times with microseconds and an offset',
    itemsShow((item) =>
      Object.fromEntries(
        Object.entries(item).map(([name, value]) => [
          name,
          name.endsWith('_at') && typeof value === 'string' ? value.replace('Z', '123+00:00') : value,
        ]),
      ),
    ),
  ),
]

function onlyAsked(): Exchange {
  return async (request, next) => {
    const response = await next()
    if (request.method !== 'PUT') return response
    const asked = Object.keys(JSON.parse(String(request.body)))
    return edited(response, (body) =>
      mapItems(body, (item) =>
        Object.fromEntries(
          Object.entries(item).filter(([name]) =>
            [...asked, 'id', 'user_id', 'terminated_at'].includes(name),
          ),
        ),
      ),
    )
  }
}

/** Services that differ in stored or shown values. */
export const storedValues: readonly FakeService[] = [
  ...equal,
  ...similar,
  ...other,
  ...like,
  asSpecified,
  ...hidden,
]
