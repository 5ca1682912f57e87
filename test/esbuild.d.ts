declare module '*.esbuild.mjs' {
  export interface Part {
    name: string
    code: string
    /** The files whose code is in it. */
    inputs: string[]
  }

  import type { Metafile } from 'esbuild'
  export function bundle(): Promise<{ parts: Part[]; comments: string[]; metafile: Metafile }>
  export function filesOf(parts: readonly Part[]): Map<string, string>
}
declare module '*.esbuild-edits.mjs' {
  import type { Plugin } from 'esbuild'
  export function edited(file: string, text: string): string
  export function editableLibraries(
    versionOf: (name: string) => string,
    textOf: (file: string) => string,
    notice: (text: string) => void,
  ): string[]
  export const lighterLibraries: Plugin
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
