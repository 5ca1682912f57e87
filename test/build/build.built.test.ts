import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bundle } from '../../.esbuild.mjs'
import { asCommonJs } from '../../.esbuild-parts.mjs'
import { leaves } from '../helpers/tree.ts'

test('asCommonJs preserves the imports and exports of a lazily loaded chunk', async () => {
  const text =
    'import{a as n,b}from"./x.js";import o from"node:os";import*as p from"node:path";import"./y.js";' +
    'var c=async()=>(await import("./z.js")).default;export{c as d,b as default};'
  const modules: Record<string, unknown> = {
    './x.js': { a: 1, b: 2 },
    './y.js': {},
    './z.js': { default: 3 },
    'node:os': {},
    'node:path': {},
  }
  const required: string[] = []
  const exports: Record<string, unknown> = {}
  new Function('exports', 'require', asCommonJs('part', text))(exports, (name: string) => {
    required.push(name)
    return modules[name]
  })
  expect(required).toEqual(['./x.js', 'node:os', 'node:path', './y.js'])
  expect(exports).toEqual({ d: expect.any(Function), default: 2 })
  expect(await (exports['d'] as () => Promise<unknown>)()).toBe(3)
})

test.each([
  'import a from"./x.js";export{a};',
  'import a from"libsql";export{a};',
  'import a with b from"./x.js";',
  'var a;import{b}from"./x.js";export{a};export{b};',
  'var a=1;export default a;',
])('asCommonJs rejects the unsupported import or export in “%s”', (text) => {
  expect(() => asCommonJs('part', text)).toThrow('part: nothing provides for')
})

// The build exports plain values, so an importing module would not see a later change.
test('the exports of each bundled module are constant after loading', async () => {
  const { metafile } = await bundle()
  const modules = Object.entries(metafile.inputs).filter(([, { format }]) => format === 'esm')
  expect(modules.length).toBeGreaterThan(100)
  const changing = modules.flatMap(([file]) => {
    const text = readFileSync(file, 'utf8')
    const variables = [...text.matchAll(/^(?:export )?(?:let|var) ([\w$]+)/gm)].map(([, name = '']) => name)
    const lists = [...text.matchAll(/^export ?\{([^}]*)\}|^export (?:let|var) ([\w$]+)/gm)]
    const exported = new Set(
      lists.flatMap(([, list = '', one = '']) => [
        one,
        ...list.split(',').map((word) => word.trim().split(' ')[0]),
      ]),
    )
    return variables
      .filter((name) => exported.has(name))
      .filter((name) => {
        const word = `(?<![\\w$.])${name.replaceAll('$', '\\$')}`
        // An enum is filled when its module runs.
        const rest = text.replace(
          new RegExp(`(?:let|var|const) ${word} =|${word} \\|\\| \\(${word} = \\{\\}\\)`, 'g'),
          '',
        )
        return new RegExp(`${word}\\s*(?:[-+*/%&|^?<>]*=(?![=>])|\\+\\+|--)`).test(rest)
      })
      .map((name) => `${name} of ${file}`)
  })
  expect(changing).toEqual([])
})

test('dist/build.json lists every command name and alias', async () => {
  const { words } = JSON.parse(readFileSync('dist/build.json', 'utf8'))
  const names = (await leaves()).flatMap(({ words: [group = '', ...verbs], command }) => [
    ...[group, ...verbs, ...command.aliases()],
    ...(command.parent?.aliases() ?? []),
  ])
  expect(words).toEqual(expect.arrayContaining(names))
})

test('the bundled program contains only ASCII characters', () => {
  const parts = readdirSync('dist').filter((file) => file.endsWith('.js'))
  expect(parts.filter((file) => /[^\0-\x7f]/.test(readFileSync(`dist/${file}`, 'latin1')))).toEqual([])
})
