// Bundles programs for the browser, which the program imports as text: `import script from './main.ts?script'`.
import { dirname, resolve } from 'node:path'
import { build } from 'esbuild'

const suffix = /\?script$/

/** Returns the bundled program as text. */
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

export const browserScripts = {
  name: 'browser-scripts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: suffix }, ({ path, importer }) => ({
      path: resolve(dirname(importer), path.replace(suffix, '')),
      suffix: '?script',
    }))
    onLoad({ filter: /\.ts$/ }, async ({ path, suffix }) =>
      suffix === '?script' ? { contents: await bundleForBrowser(path), loader: 'text' } : undefined,
    )
  },
}
