import { expect, test } from 'vitest'
import { importFixture } from '../../helpers/imports.ts'

const { world } = importFixture()

const hintOf = async (argv: readonly string[]) => {
  const { code, stderr } = await world.run(argv)
  return [code, stderr.split('\n')[1]?.replace(' --base-url https://meet.test/v1', '')]
}

test('a missing file causes a suggestion of a file with a similar name, unless digits or single letters differ', async () => {
  for (const name of [
    'roster.csv',
    'week-1.csv',
    'list.ndjson',
    'body.json',
    'no.csv',
    'class-a.csv',
    'ws.yaml',
    'ws.json',
  ])
    world.file(name, '')
  for (const [line, meant] of [
    ['users import rosters.csv --rate 5', 'users import roster.csv --rate 5'],
    ['users import ./Roster.csv', 'users import ./roster.csv'],
    [
      'workspace diff rostr.csv --rooms-from a --users-from b',
      'workspace diff roster.csv --rooms-from a --users-from b',
    ],
    ['members import members.csv --room-ids=lists.ndjson', ''],
    ['rooms import list.csv', 'rooms import list.ndjson'],
    ['rooms create --data=@boddy.json', 'rooms create --data=@body.json'],
    ['users import week-2.csv', ''],
    ['users import na.csv', ''],
    ['users import class-b.csv', ''],
    ['users import rosters.cvs', ''],
    ['users import roster.cvs', 'users import roster.csv'],
    ['users import elsewhere/roster.csv', ''],
    ['workspace apply ws.yml', 'workspace apply ws.yaml'],
    ['users import ws.csv', ''],
  ] as const) {
    const hint = meant === '' ? '' : `hint: did you mean: meetroom ${meant}`
    expect([line, await hintOf(line.split(' '))]).toEqual([line, [2, hint]])
  }
  expect(world.requests).toEqual([])
})

test('--data with the name of a file causes a suggestion of --data @FILE', async () => {
  world.file('my data.json', '{"name":"A"}')
  const { code, stderr } = await world.run(['rooms', 'create', '--data', 'my data.json'])
  expect([code, stderr]).toEqual([
    2,
    'error: --data is not valid JSON: unexpected “m” at column 1; my data.json is a file\n' +
      "hint: pass --data '@my data.json'\n",
  ])
  expect(await hintOf(['api', 'POST', '/rooms', '--data', 'other.json'])).toEqual([
    2,
    'hint: did you mean: meetroom api POST /rooms --data @other.json',
  ])
})
