import { describe, expect, test } from 'vitest'
import { createUrlParser } from '../../../src/cli/input/input.ts'
import { createImportWorld } from '../../helpers/imports.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

const world = perTest(createImportWorld)

const script = 'javascript:alert(1)'
const inline = 'data:image/png;base64,AAAA'

describe('the URL of an external resource', () => {
  test.each([script, inline, 'ftp://files.test/a.png', 'JavaScript:alert(1)'])(
    'the value %s is refused as the URL of an external resource',
    async (url) => {
      world.file('users.csv', `user_id,profile_url\nada,"${url}"\n`)
      world.file('users.ndjson', `${JSON.stringify({ user_id: 'ada', profile_url: url })}\n`)
      for (const [argv, field] of [
        [['pages', 'create', 'r1', '--image', url], '--image'],
        [['pages', 'create', 'r1', '--image', 'https://files.test/a.png', '--image', url], '--image'],
        [
          ['pages', 'create', 'r1', '--index', '1', '--set', `entities=[{"type":"Image","src":"${url}"}]`],
          'src',
        ],
        [['users', 'create', 'ada', '--profile-url', url], '--profile-url'],
        [['users', 'create', 'ada', '--set', `profile_url=${url}`], 'profile_url'],
        [['users', 'update', 'ada', '--profile-url', url], '--profile-url'],
        [['users', 'update', 'ada', '--set', `profile_url=${url}`], 'profile_url'],
        [['users', 'import', 'users.csv'], 'profile_url'],
        [['users', 'import', 'users.ndjson'], 'profile_url'],
        [['rooms', 'create', '--name', 'A', '--type', 'open', '--webhook-url', url], '--webhook-url'],
      ] as const) {
        const { code, stderr } = await world.run(argv)
        expect(code, argv.join(' ')).toBe(2)
        expect(stderr).toContain(`${field} must be an http or https URL, not “${url}”`)
      }
      expect(world.requests).toEqual([])
    },
  )

  test.each([
    ['https://bücher.example/ä b.png', 'https://xn--bcher-kva.example/%C3%A4%20b.png'],
    ['https://b%C3%BCcher.example:8443/%20', 'https://xn--bcher-kva.example:8443/%20'],
    ['HTTPS://ada:p@例え.テスト/?q=ü', 'HTTPS://ada:p@xn--r8jz45g.xn--zckzah/?q=%C3%BC'],
    ['https://Example.com/@ü', 'https://Example.com/@%C3%BC'],
    ['http://[::1]:80/ü', 'http://[::1]:80/%C3%BC'],
  ])('the URL %s of an external resource is sent as the ASCII URL %s', async (url, sent) => {
    world.intercept = async () => answer(200, { user: { user_id: 'ada' }, pages: [{ id: 'p' }] })
    const pages = JSON.stringify([{ entities: [{ type: 'Image', src: url }] }])
    for (const argv of [
      ['pages', 'create', 'r1', '--image', url],
      ['pages', 'create', 'r1', '--data', pages],
      ['users', 'update', 'ada', '--profile-url', url],
    ]) {
      await world.run(argv)
      expect(world.requests.splice(0)[0]?.body, argv.join(' ')).toContain(`"${sent}"`)
    }
  })

  test('a URL with Latin-1 characters is converted to the same URL in many consecutive checks', () => {
    const parse = createUrlParser('--image')
    const sent = Array.from({ length: sized(10_000, 100_000) }, () =>
      parse('https://b\u00fccher.example/\u00e4.png'),
    )
    expect([...new Set(sent)]).toEqual(['https://xn--bcher-kva.example/%C3%A4.png'])
  })

  test.each([script, inline])(
    'the URL %s of an external resource is sent unchanged if --data contains the URL',
    async (url) => {
      world.intercept = async () => answer(200, { user: { user_id: 'ada', profile_url: url }, pages: [] })
      const body = JSON.stringify({ user_id: 'ada', profile_url: url })
      await world.run(['users', 'update', 'ada', '--data', body])
      await world.run(['pages', 'create', 'r1', '--data', `[{"entities":[{"type":"Image","src":"${url}"}]}]`])
      expect(world.requests).toHaveLength(2)
      for (const request of world.requests) expect(request.body).toContain(url)
    },
  )
})
