import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { TransportError } from '../../../../src/api/wire.ts'
import { answer, createWorld, type World } from '../../../helpers/world.ts'

let world: World
let room: string
beforeEach(async () => {
  world = await createWorld()
  room = (await world.send('POST', '/rooms', { name: 'R', type: 'open' })).body.room.id
})

/** Creates pages; returns the request body. */
async function readBody(flags: readonly string[], stdin?: string): Promise<unknown> {
  const run = await world.run(['pages', 'create', room, ...flags], stdin === undefined ? {} : { stdin })
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' })
  expect(world.requests).toHaveLength(1)
  const [{ method, url, body = '' } = { method: '', url: '' }] = world.requests.splice(0)
  expect([method, url]).toEqual(['POST', `https://meet.test/v1/rooms/${room}/pages/create_many`])
  return JSON.parse(body)
}

const image = (src: string, more: object = {}) => ({ type: 'Image', src, ...more })

test('pages create creates a page for each --image', async () => {
  const run = await world.run(
    `pages create ${room} --image https://img.test/1.png --image https://img.test/2.png`,
  )
  expect(run).toMatchObject({ code: 0, stderr: '' })
  const [header, rule, first, second, end] = run.stdout.split('\n')
  expect(header).toBe(`ID${' '.repeat(24)}IMAGES`)
  expect(rule).toBe(`${'─'.repeat(24)}  ${'─'.repeat(22)}`)
  expect(first).toMatch(/^[0-9a-f]{24} {2}https:\/\/img\.test\/1\.png$/)
  expect(second).toMatch(/^[0-9a-f]{24} {2}https:\/\/img\.test\/2\.png$/)
  expect(end).toBe('')
  expect(JSON.parse(world.requests[0]?.body ?? '')).toEqual([
    { entities: [image('https://img.test/1.png')] },
    { entities: [image('https://img.test/2.png')] },
  ])
})

test('pages create -o ids prints one ID per line', async () => {
  const { stdout } = await world.run(
    `pages create ${room} -o ids --image https://a.test/ --image https://b.test/`,
  )
  expect(stdout).toMatch(/^[0-9a-f]{24}\n[0-9a-f]{24}\n$/)
})

test('pages create --json prints the response body unchanged', async () => {
  world.intercept = async () => answer(200, '{ "pages" : [ {"id":"p", "n":1.0 } ] }\n')
  const { stdout } = await world.run(`pages create ${room} --image https://a.test/ --json`)
  expect(stdout).toBe('{ "pages" : [ {"id":"p", "n":1.0 } ] }\n')
})

test('pages create applies --fixed, --size and an increasing --index to each page', async () => {
  expect(
    await readBody([
      ...['--image', 'https://a.test/', '--image', 'https://b.test/'],
      ...['--fixed', '--size', '1280x720.5', '--index', '3'],
    ]),
  ).toEqual([
    {
      entities: [image('https://a.test/', { fixed: true })],
      size: { width: 1280, height: 720.5 },
      index: 3,
    },
    {
      entities: [image('https://b.test/', { fixed: true })],
      size: { width: 1280, height: 720.5 },
      index: 4,
    },
  ])
})

test('pages create without --image creates an empty page from --size or --index', async () => {
  expect(await readBody(['--size', '10x20'])).toEqual([{ size: { width: 10, height: 20 } }])
  expect(await readBody(['--index', '0'])).toEqual([{ index: 0 }])
})

test.each([
  ['https://img.test/slide 1.png', 'https://img.test/slide%201.png'],
  ['https://img.test/slide%201.png', 'https://img.test/slide%201.png'],
  ['https://img.test/Übersicht.png?v=ü', 'https://img.test/%C3%9Cbersicht.png?v=%C3%BC'],
  ['https://img.test/a%2Fb 50%.png', 'https://img.test/a%2Fb%2050%25.png'],
  ['https://img.test/x?size=1|2', 'https://img.test/x?size=1%7C2'],
])('pages create sends the image URL %j as %j', async (given, src) => {
  expect(await readBody(['--image', given])).toEqual([{ entities: [image(src)] }])
})

test('pages create --data reads pages from the argument, a file or stdin', async () => {
  const page = { entities: [image('https://a.test/'), image('https://b.test/')], index: 2 }
  expect(await readBody(['--data', JSON.stringify([page, {}])])).toEqual([page, {}])
  expect(await readBody(['--data', JSON.stringify(page)])).toEqual([page])
  writeFileSync(join(world.dir, 'pages.json'), JSON.stringify([page]))
  expect(await readBody(['--data', '@pages.json'])).toEqual([page])
  expect(await readBody(['--data', '-'], JSON.stringify([page]))).toEqual([page])
})

test('pages create sends the pages of --data before the pages of --image', async () => {
  expect(
    await readBody([
      '--data',
      '{"index":1}',
      '--image',
      'https://a.test/',
      '--set',
      'tag=x',
      '--set',
      'n=[1]',
    ]),
  ).toEqual([
    { index: 1, tag: 'x', n: [1] },
    { entities: [image('https://a.test/')], tag: 'x', n: [1] },
  ])
})

test.each([
  [[], 'no pages given: pass --image or --data'],
  [['--data', '[]'], 'no pages given: pass --image or --data'],
  [['--data', 'null'], '--data must be a JSON array of pages, or one page'],
  [['--data', '[1]'], '--data must be a JSON array of pages, or one page'],
  [['--data', '[[{"index":1}]]'], '--data must be a JSON array of pages, or one page'],
  [['--image', 'a'], '--image must be a complete URL such as https://host/path, not “a”'],
  [['--image', 'https://a.test/', '--size', '10'], '--size must be WIDTHxHEIGHT, such as 1280x720, not “10”'],
  [
    ['--image', 'https://a.test/', '--size=-1x2'],
    '--size must be WIDTHxHEIGHT, such as 1280x720, not “-1x2”',
  ],
  [
    ['--image', 'https://a.test/', '--index', '1.5'],
    '--index must be a whole number, at least 0, not “1.5”\nhint: to append pages, omit --index',
  ],
  [
    ['--image', 'https://a.test/1,https://a.test/2'],
    '--image takes one URL, not 2: “https://a.test/1,https://a.test/2”\nhint: repeat --image for each URL',
  ],
  [['--image', 'https://a.test/', '--set', 'x'], '--set must be key=value, not “x”'],
])('pages create with the arguments %j exits 2 before any request', async (flags, message) => {
  expect(await world.run(['pages', 'create', room, ...flags])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `error: ${message}\n`,
  })
  expect(world.requests).toEqual([])
})

test('pages create exits 7 without a retry if the connection is reset', async () => {
  world.intercept = async () => {
    throw new TransportError('the connection was reset', true)
  }
  const { code, stderr } = await world.run(`pages create ${room} --image https://a.test/`)
  expect(code).toBe(7)
  expect(stderr).toMatch(
    /^error: no response from meet.test: the connection was reset; the outcome of the change is unknown\nhint: /,
  )
  expect(world.requests).toHaveLength(1)
})

test.each([
  ['pages create r slide1.png', 'unexpected argument “slide1.png”: pages create takes 1 argument'],
  ['pages create r --image C:/slides/1.PDF', '--image must be a URL, not the file “C:/slides/1.PDF”'],
  ['pages create r --image file:///slide1.png', '--image must be a URL, not the file “file:///slide1.png”'],
])('“meetroom %s” exits 2 with a hint to pass an image URL', async (line, message) => {
  const { code, stderr } = await (await createWorld()).run(line)
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `error: ${message}\nhint: the API accepts only URLs of images; upload the image to a web server, and pass its URL, as in --image https://example.com/slide1.png\n`,
  })
})

test('pages create prints a response with a null page unchanged', async () => {
  world.intercept = async () => answer(200, { pages: [{}, null] })
  expect(await world.run(`pages create ${room} --image https://img.test/1.png`)).toMatchObject({
    ...{ code: 0, stdout: 'pages  [{},null]\n', stderr: '' },
  })
})
