import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sign } from '../../src/api/signature.ts'
import { testNow } from './host.ts'
import { baseUrl, worldsWith } from './world.ts'

/** Placeholder IDs of rooms in the documentation. */
const roomId = '66f1a2b3c4d5e6f708192a3b'
const otherRoomId = '66f1a2b3c4d5e6f708192a3c'

const secret = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLjSw'
const event = JSON.stringify({
  action: 'sessionJoined',
  payload: {
    ...{ roomId, userId: 'ada', memberId: 'member-1', sessionId: 'session-1' },
    ...{ sessionsCount: 1, membersCount: 1, timestamp: new Date(testNow).toISOString() },
  },
})
const seconds = Math.floor(testNow / 1000)
const yearMs = 365 * 86_400_000

/** Files that the documentation names, with contents that its commands accept. */
const files: Readonly<Record<string, string>> = {
  'people.csv': 'user_id,name\nemmy,Emmy\nkurt,Kurt\n',
  'members.csv': 'user_id,type\nlinus,host\n',
  'courses.csv': 'name,type,members\nAlgebra,private,ada:host|grace\n',
  'classes.csv': 'First,Last,Mail,Class,Role\nAda,L,ada@x.test,7a,host\nKurt,G,kurt@x.test,7a,guest\n',
  'rooms.csv': 'name,type\ntest three,open\n',
  'users.csv': 'user_id,name\nemmy,Emmy\n',
  'old-rooms.csv': `id,name,type\n${roomId},Old,private\n`,
  'old-members.csv': `room_id,user_id,type\n${roomId},linus,host\n`,
  'user-ids.txt': 'mallory\nlinus\n',
  'body.json': event,
  'secret.txt': secret,
  'headers.txt': [
    'webhook-id: msg_1',
    `webhook-timestamp: ${seconds}`,
    `webhook-signature: ${sign(secret, 'msg_1', seconds, event)}\n`,
  ].join('\n'),
}

const createFilled = worldsWith(async (world) => {
  const room = (name: string, type: string) => world.send('POST', '/rooms', { name, type })
  const invite = (id: string, user_id: string) => world.send('POST', `/rooms/${id}/members`, { user_id })
  for (const name of ['ada', 'alan', 'grace', 'linus', 'mallory', 'test'])
    await world.send('POST', '/users', { user_id: name, name, email: `${name}@example.com` })
  const id: string = (await room('Room', 'private')).body.room.id
  const other: string = (await room('Other room', 'private')).body.room.id
  const weekly = (await room('Weekly sync', 'private')).body.room.id
  for (const user of ['ada', 'alan', 'grace', 'mallory']) await invite(id, user)
  for (const user of ['ada', 'mallory']) await invite(weekly, user)
  await room('test one', 'open')
  const old = (await room('Old', 'private')).body.room.id
  await world.store.write(() =>
    world.store.run(
      'UPDATE rooms SET created_at = ?1, terminated_at = ?1 WHERE id = ?2',
      testNow - yearMs,
      old,
    ),
  )
  return { id, other }
})

/**
 * Creates a service, files and stored profiles for the commands of the documentation.
 * @param more files of one topic
 */
export async function createSampleWorld(more: Readonly<Record<string, string>> = {}) {
  const { world, made } = await createFilled()
  const { id, other } = made

  for (const [name, text] of Object.entries({ ...files, 'key.txt': `${world.apiKey}\n`, ...more }))
    writeFileSync(join(world.dir, name), text)
  mkdirSync(world.configDir)
  const profile = (base_url: string) => ({
    base_url,
    api_key: world.apiKey,
    api_key_origin: new URL(base_url).origin,
    join_url: 'https://app.example.com/meet?room_id={room_id}&access_token={access_token}',
  })
  const profiles = {
    default: profile(baseUrl),
    production: profile('https://production.example.com/v1'),
    staging: profile('https://staging.example.com/v1'),
    new: profile('https://new.example.com/v1'),
  }
  writeFileSync(join(world.configDir, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 })
  const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }

  const values = [
    ['$room', id],
    [roomId, id],
    [otherRoomId, other],
    ['~/', `${world.dir}/`],
    ['$HOME', world.dir],
    ['METHOD PATH', 'GET /rooms'],
    ['COMMAND', 'rooms list'],
    ['TOPIC', 'concepts'],
    ['FILE', `${world.dir}/FILE`],
  ] as const
  const fillIn = (line: string) => values.reduce((text, [name, value]) => text.replaceAll(name, value), line)
  return { world, env, fillIn }
}
