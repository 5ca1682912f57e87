declare module '*.esbuild.mjs' {
  export interface Part {
    name: string
    code: string
    /** Source files in the part. */
    inputs: string[]
  }

  import type { Metafile } from 'esbuild'
  export function bundle(): Promise<{ parts: Part[]; comments: string[]; metafile: Metafile }>
  export function filesOf(parts: readonly Part[]): Map<string, string>
}
declare module '*.esbuild-parts.mjs' {
  export function asCommonJs(name: string, text: string): string
}
declare module '*.esbuild-text.mjs' {
  import type { Plugin } from 'esbuild'
  export function bundleForBrowser(file: string): Promise<string>
  export function parseTopic(markdown: string): string
  export const importsAsText: Plugin
}
