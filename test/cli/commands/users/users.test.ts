import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { perTest } from '../../../helpers/per-test.ts'
import { answer, createWorld } from '../../../helpers/world.ts'

const world = perTest(createWorld)

const user = async (user_id: string, fields: object = {}) =>
  (await world.send('POST', '/users', { user_id, ...fields })).body.user
const sent = () => world.requests.map(({ method, url, body }) => [method, url.slice(20), body])
const writes = () => world.requests.filter(({ method }) => method !== 'GET')
const lastBody = () => JSON.parse(world.requests.at(-1)?.body ?? '')

test('users list shows the users of the workspace, newest first', async () => {
  const ada = await user('ada', { name: 'Ada', default_member_type: 'host' })
  const grace = await user('grace', { profile_url: 'https://img.test/g.png' })
  const toSecond = ({ created_at }: { created_at: string }) => created_at.replace(/\.\d+/, '')
  expect(await world.run('users list')).toMatchObject({
    code: 0,
    stdout:
      'USER ID  NAME  EMAIL  DEFAULT MEMBER TYPE  PROFILE URL             CREATED AT\n' +
      '───────  ────  ─────  ───────────────────  ──────────────────────  ────────────────────\n' +
      `grace                 guest                https://img.test/g.png  ${toSecond(grace)}\n` +
      `ada      Ada          host                                         ${toSecond(ada)}\n`,
    stderr: '',
  })
  expect(sent()).toEqual([['GET', '/users', undefined]])
})

test('users list --email lists the users whose email contains the text', async () => {
  await user('ada', { email: 'ada@example.com' })
  await user('grace@navy.test')
  await user('alan')
  expect((await world.run('users list --email EXAMPLE -o ids')).stdout).toBe('ada\n')
  expect((await world.run(['users', 'list', '--email', 'navy&x=1', '-o', 'ids'])).stdout).toBe('')
  expect(sent()).toEqual([
    ['GET', '/users?email_search_query=EXAMPLE', undefined],
    ['GET', '/users?email_search_query=navy%26x%3D1', undefined],
  ])
})

test('users list applies the paging flags, and exits 2 for invalid numbers', async () => {
  for (const id of ['a', 'b', 'c', 'd', 'e']) await user(id)
  const list = async (flags: string) => (await world.run(`users list -o ids ${flags}`)).stdout
  expect(await list('--limit 2')).toBe('e\nd\n')
  expect(await list('--limit 2 --offset 2')).toBe('c\nb\n')
  expect(await list('--all --page-size 2')).toBe('e\nd\nc\nb\na\n')
  expect(await list('--all --offset 3')).toBe('b\na\n')
  for (const flags of ['--limit 0', '--limit -1', '--limit 1e3', '--offset x', '--page-size 0'])
    expect(await world.run(`users list ${flags}`), flags).toMatchObject({ code: 2, stdout: '' })
})

test('users get prints the access token only with --show-tokens', async () => {
  const ada = await user('ada', { name: 'Ada', email: 'ada@example.com' })
  const record = (token: string) =>
    'user_id              ada\n' +
    'name                 Ada\n' +
    'profile_url\n' +
    'default_member_type  guest\n' +
    token +
    `created_at           ${ada.created_at}\n` +
    `updated_at           ${ada.updated_at}\n` +
    'email                ada@example.com\n'
  expect(await world.run('users get ada')).toMatchObject({ code: 0, stdout: record(''), stderr: '' })
  expect(await world.run('users get ada --show-tokens')).toMatchObject({
    code: 0,
    stdout: record(`access_token         ${ada.access_token}\n`),
    stderr: '',
  })
})

test('users list exits 6 for a user without an ID', async () => {
  world.intercept = async () => answer(200, { users: [{ user_id: 'ada' }, { id: '7', name: 'Ada' }] })
  expect(await world.run('users list')).toMatchObject({
    code: 6,
    stdout: '',
    stderr: 'error: the service’s response cannot be read: users[1] has no user_id\n',
  })
})

test('users list prints an unknown default role unchanged', async () => {
  world.intercept = async () => answer(200, { users: [{ user_id: 'ada', default_member_type: 'chair' }] })
  expect((await world.run('users list --columns user_id,default_member_type --no-header')).stdout).toBe(
    'ada  chair\n',
  )
})

test('users create sends the name, the profile URL and the default role', async () => {
  const run = await world.run([
    ...['users', 'create', 'ada', '--name', 'Ada Lovelace', '--profile-url', 'https://img.test/a b.png'],
    ...['--default-member-type', 'monitor', '--columns', 'user_id,name,profile_url,default_member_type'],
  ])
  expect(run).toMatchObject({
    code: 0,
    stdout:
      'user_id              ada\n' +
      'name                 Ada Lovelace\n' +
      'profile_url          https://img.test/a%20b.png\n' +
      'default_member_type  monitor\n',
    stderr: '',
  })
  expect(sent()).toEqual([
    ['GET', '/users/ada', undefined],
    ['GET', '/rooms?limit=1', undefined],
    [
      'POST',
      '/users',
      '{"user_id":"ada","name":"Ada Lovelace","profile_url":"https://img.test/a%20b.png","default_member_type":"monitor"}',
    ],
  ])
})

test('users create exits 2 for an existing ID and keeps the existing user', async () => {
  const before = await user('ada', { name: 'Ada' })
  expect(await world.run('users create ada --name Eve')).toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'error: user “ada” already exists, and this command would overwrite the user\n' +
      'hint: to change only these fields: meetroom users update ada --name Eve --base-url https://meet.test/v1\n',
  })
  expect(writes()).toEqual([])
  expect((await world.send('GET', '/users/ada')).body.user).toEqual(before)
})

test('users create --overwrite overwrites the user without a lookup', async () => {
  await user('ada', { name: 'Ada', default_member_type: 'host' })
  expect(await world.run('users create ada --name Eve --overwrite')).toMatchObject({ code: 0, stderr: '' })
  expect(sent()).toEqual([['POST', '/users', '{"user_id":"ada","name":"Eve"}']])
  expect((await world.send('GET', '/users/ada')).body.user).toMatchObject({
    name: 'Eve',
    default_member_type: 'guest',
  })
})

test('users create sends no write if the lookup of the ID fails', async () => {
  world.intercept = async () => answer(503, {})
  expect(await world.run('users create ada --retries 0')).toMatchObject({ code: 6 })
  world.intercept = async () => answer(401, {})
  expect(await world.run('users create ada')).toMatchObject({ code: 4 })
  expect(writes()).toEqual([])
})

test('users create creates the user if the lookup gets a 400 response without JSON', async () => {
  world.intercept = async (request, next) =>
    request.method === 'GET' && request.url.endsWith('/users/ada') ? answer(400, 'no') : next()
  expect(await world.run('users create ada')).toMatchObject({ code: 0 })
  expect(sent().map(([method, path]) => [method, path])).toEqual([
    ['GET', '/users/ada'],
    ['GET', '/rooms?limit=1'],
    ['POST', '/users'],
  ])
})

test('users create and users update set the email with --email', async () => {
  await world.run('users create ada --email ada@example.com')
  expect(lastBody()).toEqual({ user_id: 'ada', email: 'ada@example.com' })
  await world.run('users update ada --email countess@example.com')
  expect(lastBody()).toEqual({ email: 'countess@example.com' })
  expect((await world.send('GET', '/users/ada')).body.user.email).toBe('countess@example.com')
  expect(
    await world.run(['users', 'update', 'ada', '--email', 'a@x.test', '--set', 'email=b@x.test']),
  ).toMatchObject({
    code: 2,
  })
})

test('users create merges --data with flags and --set, which take precedence', async () => {
  writeFileSync(join(world.dir, 'user.json'), '{"user_id":"other","name":"file","email":"f@x.test","n":1.10}')
  await world.run(['users', 'create', 'ada', '--data', '@user.json', '--name', 'flag', '--set', 'x=null'])
  expect(world.requests.at(-1)?.body).toBe(
    '{"user_id":"ada","name":"flag","email":"f@x.test","n":1.1,"x":null}',
  )
  await world.run(['users', 'create', 'grace', '--data', '{"name":"data"}', '--set', 'name="12"'])
  expect(lastBody()).toEqual({ user_id: 'grace', name: '12' })
  await world.run(['users', 'create', 'alan', '--data', '-'], { stdin: '{"email":"a@x.test"}' })
  expect(lastBody()).toEqual({ user_id: 'alan', email: 'a@x.test' })
})

test.each([
  [['--data', '[]'], '--data must be a JSON object, not a list'],
  [['--data', '"x"'], '--data must be a JSON object, not “x”'],
  [['--data', 'null'], '--data must be a JSON object, not null'],
  [['--data', '@absent.json'], '--data: absent.json cannot be read: no such file'],
  [['--set', 'x'], '--set must be key=value, not “x”'],
  [['--set', '=x'], '--set must be key=value, not “=x”'],
  [['--profile-url', 'a.png'], '--profile-url must be a complete URL such as https://host/path, not “a.png”'],
])('users create exits 2 before any request for the invalid arguments %j', async (flags, message) => {
  expect(await world.run(['users', 'create', 'ada', ...flags])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `error: ${message}\n`,
  })
  expect(world.requests).toEqual([])
})

test('users create exits 2 for malformed JSON in --data', async () => {
  const { code, stderr } = await world.run(['users', 'create', 'ada', '--data', '{"name":}'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^error: --data is not valid JSON: .+\n$/)
})

test.each([
  ['https://img.test/a b.png', 'https://img.test/a%20b.png'],
  ['https://img.test/a%20b.png', 'https://img.test/a%20b.png'],
  ['https://img.test/a%2520b.png', 'https://img.test/a%2520b.png'],
  ['https://img.test/ä é.png', 'https://img.test/%C3%A4%20%C3%A9.png'],
  ['https://img.test/😀.png', 'https://img.test/%F0%9F%98%80.png'],
  ['https://img.test/100%.png', 'https://img.test/100%25.png'],
  ['https://img.test/?q=a b&c=%2F#d e', 'https://img.test/?q=a%20b&c=%2F#d%20e'],
  ['https://img.test/<"`{}>', 'https://img.test/%3C%22%60%7B%7D%3E'],
  ['https://img.test/a|b^c\\d', 'https://img.test/a%7Cb%5Ec%5Cd'],
  [' https://img.test/x ', 'https://img.test/x'],
])('users update sends the profile URL %j with valid percent-encoding', async (given, encoded) => {
  await user('ada')
  const { code, stderr } = await world.run(['users', 'update', 'ada', '--profile-url', given])
  expect(lastBody()).toEqual({ profile_url: encoded })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('users update changes only the given fields, and exits 2 without a field', async () => {
  await user('ada', { name: 'Ada', default_member_type: 'host' })
  expect(await world.run(['users', 'update', 'ada', '--name', 'A. L.'])).toMatchObject({
    code: 0,
    stderr:
      "rooms keep the names of their members; to change them: meetroom members update --all-rooms --user ada --name 'A. L.' --base-url https://meet.test/v1\n",
  })
  expect(sent()).toEqual([['PUT', '/users/ada', '{"name":"A. L."}']])
  expect((await world.send('GET', '/users/ada')).body.user).toMatchObject({
    name: 'A. L.',
    default_member_type: 'host',
  })
  expect(await world.run('users update ada')).toMatchObject({
    code: 2,
    stderr: 'error: no fields given: pass at least one field\nhint: see: meetroom users update --help\n',
  })
})

test('users update merges its flags, --set and --data into one body', async () => {
  await user('ada')
  await world.run([
    ...[
      'users',
      'update',
      'ada',
      '--name',
      'N',
      '--profile-url',
      'https://img.test/',
      '--default-member-type',
    ],
    ...['host', '--data', '{"email":"a@x.test"}', '--set', 'flag=true'],
  ])
  expect(lastBody()).toEqual({
    email: 'a@x.test',
    name: 'N',
    profile_url: 'https://img.test/',
    default_member_type: 'host',
    flag: true,
  })
})

test('users update --default-member-type boss exits 2 and lists the valid roles', async () => {
  expect(await world.run('users update ada --default-member-type boss')).toMatchObject({
    code: 2,
    stderr:
      'error: --default-member-type must be guest, host or monitor, not “boss”\nhint: see: meetroom users update --help\n',
  })
})

test('users delete ada grace deletes both users and prints one list', async () => {
  for (const id of ['ada', 'grace']) await user(id)
  expect(await world.run('users delete ada grace --yes -o ids')).toMatchObject({
    code: 0,
    stdout: 'ada\ngrace\n',
    stderr: 'deleted 2 users\n',
  })
  expect(sent()).toEqual([
    ['DELETE', '/users/ada', undefined],
    ['DELETE', '/users/grace', undefined],
  ])
  expect((await world.send('GET', '/users')).body.users).toEqual([])
})

test('users delete --json with one ID prints the deleted user', async () => {
  await user('ada')
  const { stdout, code } = await world.run('users delete ada --yes --json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout).user.user_id).toBe('ada')
})

test('users delete reads IDs from standard input and deletes each user once', async () => {
  for (const id of ['ada', 'grace', 'alan']) await user(id)
  expect(
    await world.run('users delete alan - ada -y -o ids', { stdin: '  grace \n\nada\ngrace' }),
  ).toMatchObject({ code: 0, stdout: 'alan\ngrace\nada\n', stderr: 'deleted 3 users\n' })
})

test('users delete - exits 0 and sends no request if standard input contains no ID', async () => {
  expect(await world.run('users delete - --yes', { stdin: '\n' })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'no users; nothing to do\n',
  })
  expect(world.requests).toEqual([])
})

test('users delete without --yes exits 10 if there is no terminal or MEETROOM_NO_INPUT is set', async () => {
  await user('ada')
  const refusal = {
    code: 10,
    stdout: '',
    stderr:
      'error: deleting users needs confirmation, and there is no terminal for a prompt\nhint: pass --yes to confirm in advance\n',
  }
  expect(await world.run('users delete ada')).toMatchObject(refusal)
  expect(await world.run('users delete -', { stdin: 'ada\n' })).toMatchObject(refusal)
  expect(
    await world.run('users delete ada', { tty: true, env: { MEETROOM_NO_INPUT: '1', NO_COLOR: '1' } }),
  ).toMatchObject({
    ...refusal,
    stderr:
      'error: deleting users needs confirmation, and MEETROOM_NO_INPUT disables prompts\nhint: pass --yes to confirm in advance\n',
  })
  expect(world.requests.every(({ method }) => method === 'GET')).toBe(true)
})

test('users delete of a missing user exits 3 without a prompt', async () => {
  expect(await world.run('users delete nobody', { tty: true, env: { NO_COLOR: '1' } })).toMatchObject({
    code: 3,
    stdout: '',
    stderr:
      'error: no such user: nobody\nhint: list the users with: meetroom users list --base-url https://meet.test/v1\n',
  })
})

test('users delete nobody ada nowhere deletes the existing user and reports each unknown ID', async () => {
  await user('ada')
  expect(await world.run('users delete nobody ada nowhere --yes -o ids')).toMatchObject({
    code: 8,
    stdout: 'ada\n',
    stderr:
      'error: no such user: nobody\nhint: list the users with: meetroom users list --base-url https://meet.test/v1\n' +
      'error: no such user: nowhere\n' +
      'error: deleted 1 of 3 users; 2 failed\n',
  })
})

test('users delete -o ndjson prints each error as one JSON line', async () => {
  await user('ada')
  const { code, stdout, stderr } = await world.run('users delete nobody ada --yes -o ndjson')
  expect(code).toBe(8)
  expect(JSON.parse(stdout).user_id).toBe('ada')
  expect(
    stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).error.code),
  ).toEqual(['not_found', 'partial'])
})

test('users delete exits 8 for an invalid ID, and deletes the other user', async () => {
  await user('ada')
  expect(await world.run('users delete .. ada --yes -o ids')).toMatchObject({
    code: 8,
    stdout: 'ada\n',
    stderr: 'error: “..” is not a valid user ID\nerror: deleted 1 of 2 users; 1 failed\n',
  })
})

test('users create --dry-run exits 2 for an existing ID', async () => {
  await user('ada')
  expect(await world.run('users create ada --dry-run')).toMatchObject({ code: 2, stdout: '' })
})

test('users create --curl and users get --curl quote the arguments of the curl command for the shell', async () => {
  const name = `it's "quoted" $HOME \`id\` \\ ! * ?\n; rm -rf ~ ü😀`
  const { stdout } = await world.run(['users', 'create', "o'brien $(id)", '--name', name, '--curl'])
  expect(stdout).not.toContain(world.apiKey)
  const script = `curl() { printf '%s\\0' "$@"; }\n${stdout}`
  const words = execFileSync('sh', ['-c', script], { env: { MEETROOM_API_KEY: 'k e y' }, encoding: 'utf8' })
  expect(words.split('\0')).toEqual([
    ...['-X', 'POST', 'https://meet.test/v1/users', '-H', 'Authorization: Bearer k e y'],
    ...['-H', 'content-type: application/json', '--data-raw'],
    ...[JSON.stringify({ user_id: "o'brien $(id)", name }), ''],
  ])
  const { stdout: get } = await world.run(['users', 'get', "o'brien $(id)", '--curl'])
  const url = execFileSync('sh', ['-c', `curl() { printf %s "$3"; }\n${get}`], { encoding: 'utf8' })
  expect(decodeURIComponent(url)).toBe("https://meet.test/v1/users/o'brien $(id)")
})
