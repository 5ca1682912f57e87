import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRedactor } from '../../../../src/cli/output/redaction/create-redactor.ts'
import { answer, createWorld, type World } from '../../../helpers/world.ts'
import { share, sized } from '../../../suites/size.ts'

/** Number of generated cases; `npm run test:canary` runs more. */
const numRuns = sized(6, 2000)

const json = (text: string) => JSON.stringify(text).slice(1, -1)
const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const unicode = (text: string) =>
  [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`).join('')

const names: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }

const encodings: Record<string, (text: string) => string> = {
  unchanged: (text) => text,
  'in JSON': json,
  'in JSON with slashes escaped': (text) => json(text).replaceAll('/', '\\/'),
  'in JSON with everything escaped': unicode,
  'in JSON within JSON': (text) => json(json(text)),
  'in a URL': encodeURIComponent,
  'in a URL twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in JSON in a URL': (text) => encodeURIComponent(json(json(text))),
  'in the quotes of a shell': (text) => text.replaceAll("'", String.raw`'\''`),
  'in a URL, every character encoded': percent,
  'in HTML': (text) =>
    text.replace(/[&<>"']/g, (character) => `&${names[character] ?? `#${character.charCodeAt(0)}`};`),
  'in HTML of template engines': (text) =>
    text.replace(/[&<>"'/+=]/g, (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`),
  'in HTML in decimal': (text) => text.replace(/[&<>"'/+=]/g, (character) => `&#${character.charCodeAt(0)};`),
  'in HTML in a URL': (text) =>
    encodeURIComponent(text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)),
  'in JSON within JSON within JSON': (text) => json(json(json(text))),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64 in a URL': (text) => encodeURIComponent(Buffer.from(text).toString('base64')),
  'in base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  'in base64 after a name': (text) => Buffer.from(`user:${text}`).toString('base64'),
  'in base64 between others': (text) => Buffer.from(`12345${text}6`).toString('base64'),
  'in base64 before others': (text) => Buffer.from(`${text}:::::`).toString('base64'),
}

/** Keys of visible ASCII characters. */
const key = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 8, maxLength: 40 })
  .map((codes) => String.fromCharCode(...codes))
  // Real keys contain many different characters.
  .filter((text) => new Set(text).size > 4)

describe('a key in the output', () => {
  test.each(Object.entries(encodings))('the redactor masks a key in the form “%s”', (_, spell) => {
    fc.assert(
      fc.property(key, (secret) => {
        const left = createRedactor([secret])(`<é> ${spell(secret)} <é>`)
        expect(left).toContain('[API key]')
        for (const part of left.replace('[API key]', ' ').split(/[<> é]+/)) {
          expect(part.length).toBeLessThan(10)
          expect(Buffer.from(part, 'base64').toString('latin1')).not.toContain(secret.slice(1, -1))
        }
      }),
      { numRuns },
    )
  })

  test('the redactor keeps the text around a masked key unchanged', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w-]{8,40}$/), (secret) => {
        for (const name of ['unchanged', 'in JSON', 'in a URL', 'in base64'])
          expect(createRedactor([secret])(`<é>${encodings[name]?.(secret)}<é>`), name).toBe('<é>[API key]<é>')
      }),
      { numRuns },
    )
  })

  test.each(['secret-key%', 'secret-key\\', 'secret\\\\key\\\\', '%secret"key/', '"\\secret-key"%%'])(
    'the redactor masks the key %j completely in several encodings',
    (secret) => {
      for (const [name, spell] of Object.entries(encodings))
        if (!/after|between|before/.test(name))
          expect(createRedactor([secret])(`<é>${spell(secret)}<é>`), name).toBe('<é>[API key]<é>')
    },
  )

  test.each(Object.entries(encodings).filter(([name]) => !/after|between|before/.test(name)))(
    'the redactor masks a key in the form “%s” if the text is truncated within the key',
    (_, spell) => {
      fc.assert(
        fc.property(key, fc.nat(), (secret, position) => {
          const spelled = spell(secret)
          const least = spell(secret.slice(0, 7)).length + 1
          const cut = spelled.slice(0, least + (position % Math.max(1, spelled.length - least)))
          const left = createRedactor([secret])(`<é> ${spelled} ${cut}…`)
          // Fragments of the last encoded characters may remain, such as a digit of a percent encoding.
          expect(left).toMatch(/^<é> \[API key\] \[API key\][^\s[\]]{0,11}…$/)
        }),
        { numRuns },
      )
    },
  )

  test('the redactor processes a long text of repeated characters within two seconds', () => {
    const secrets = ['\\'.repeat(40), '"\\'.repeat(20), '%25'.repeat(12), '/'.repeat(40)]
    const units = ['\\', '"', '%25', '%', '/', 'u005c', '\\"']
    for (const [row, secret] of secrets.entries())
      for (const unit of share(units, row, 2)) {
        const began = performance.now()
        createRedactor([secret])(unit.repeat(sized(20_000, 50_000)))
        createRedactor([secret])(`${unit.repeat(sized(20_000, 50_000))}…`)
        expect(performance.now() - began, `${secret} in ${unit}`).toBeLessThan(2000)
      }
  })

  test('the redactor masks both keys if one key is part of another key', () => {
    const hide = createRedactor(['abcdefgh', 'abcdefgh-longer'])
    expect(hide('abcdefgh-longer and abcdefgh')).toBe('[API key] and [API key]')
  })

  test('the redactor masks a key once, even if the mask contains another key', () => {
    expect(createRedactor(['API key]', 'secret-key'])('secret-key')).toBe('[API key]')
  })
})

test('the redactor ignores keys of fewer than eight characters', () => {
  for (const secret of ['', 'a', 'takes', 'refuses'])
    expect(createRedactor([secret])('takes refuses a')).toBe('takes refuses a')
})

test('the redactor keeps text without a key unchanged', () => {
  fc.assert(fc.property(fc.string(), (text) => createRedactor(['mk_0123456789abcdef'])(text) === text))
})

describe('the redaction of the program', () => {
  let world: World
  beforeEach(async () => {
    world = await createWorld()
  })

  test('rooms list prints an error unchanged if the API key is one letter', async () => {
    const { stderr } = await world.run('rooms list --limit x', { env: { MEETROOM_API_KEY: 'e' } })
    expect(stderr).toBe(
      'error: --limit must be a whole number, at least 1, not “x”\n' +
        'hint: for all items: meetroom rooms list --all --base-url https://meet.test/v1\n',
    )
  })

  test('rooms get --json and --verbose mask the API key in an error response', async () => {
    const apiKey = 'a"key\\with/what%it+may=have'
    for (const spell of Object.values(encodings)) {
      const body = { error: { message: spell(apiKey), [spell(apiKey)]: [spell(apiKey)] } }
      world.intercept = async () => answer(500, body, { location: spell(apiKey) })
      for (const flag of ['--json', '--verbose']) {
        const { stderr } = await world.run(`rooms get r1 ${flag}`, { env: { MEETROOM_API_KEY: apiKey } })
        expect(stderr).toContain('[API key]')
        expect(stderr).not.toContain(spell(apiKey).slice(4, -4))
        if (flag === '--json') expect(JSON.stringify(JSON.parse(stderr))).not.toContain(json(spell(apiKey)))
      }
    }
  })

  test('--query masks the API key in a pipe', async () => {
    await world.send('POST', '/rooms', { name: world.apiKey, type: 'open' })
    for (const line of ['workspace export --query rooms[].name', 'rooms list --query rooms[].name -o tsv'])
      expect((await world.run(line)).stdout, line).toMatch(/^(\["\[API key\]"\]|\[API key\])\n$/)
  })

  describe('response bodies in JSON errors', () => {
    const bodyOf = async (body: unknown) => {
      world.intercept = async () => answer(500, body)
      return JSON.parse((await world.run('rooms get r1 --json')).stderr).error.body
    }

    test('a JSON error keeps a response body of up to 4 KB unchanged', async () => {
      for (const body of [{ detail: 'x'.repeat(4000) }, 'x'.repeat(4096), [1, { a: null }]])
        expect(await bodyOf(body)).toEqual(body)
    })

    test('a JSON error truncates a response body after 4096 characters', async () => {
      const page = `<html>${'é'.repeat(60_000)}</html>`
      expect(await bodyOf(page)).toBe(`${page.slice(0, 4096)}… (cut off: 60013 characters in all)`)
      const long = { detail: 'x'.repeat(5000) }
      expect(await bodyOf(long)).toBe(
        `${JSON.stringify(long).slice(0, 4096)}… (cut off: 5013 characters in all)`,
      )
      const most = 2 ** 20
      expect(await bodyOf('x'.repeat(most + 10))).toContain(`(cut off: ${most} characters in all)`)
    })

    test('a truncated response body in a JSON error contains no part of the API key', async () => {
      const { apiKey } = world
      expect(await bodyOf(`${'x'.repeat(4095)}😀`)).toBe(
        `${'x'.repeat(4095)}�… (cut off: 4097 characters in all)`,
      )
      expect(await bodyOf(`${'x'.repeat(4090)}${apiKey}`)).not.toContain(apiKey.slice(0, 6))
    })
  })
})
