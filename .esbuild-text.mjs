// Plugin that imports files as text: bundled programs for the browser (`import script from
// './main.ts?script'`), and parsed help topics.
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { build } from 'esbuild'
import { lexer } from 'marked'

const suffix = /\?script$/

export async function bundleForBrowser(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
  })
  return outputFiles[0].text
}

const unused = new Set(['raw', 'align', 'loose', 'task', 'header'])

/** Returns the tokens of a help topic as JSON, without unused fields. */
export function parseTopic(markdown) {
  return JSON.stringify(lexer(markdown), function (key, value) {
    const isUnused = key === 'text' ? this.tokens : unused.has(key) && typeof value !== 'object'
    return isUnused ? undefined : value
  })
}

export const importsAsText = {
  name: 'imports-as-text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: suffix }, ({ path, importer }) => ({
      path: resolve(dirname(importer), path.replace(suffix, '')),
      suffix: '?script',
    }))
    onLoad({ filter: /\.ts$/ }, async ({ path, suffix }) =>
      suffix === '?script' ? { contents: await bundleForBrowser(path), loader: 'text' } : undefined,
    )
    onLoad({ filter: /\.md$/ }, async ({ path }) => ({
      contents: parseTopic(await readFile(path, 'utf8')),
      loader: 'text',
    }))
  },
}
