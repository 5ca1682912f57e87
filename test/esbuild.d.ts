declare module '*.esbuild.mjs' {
  import type { BuildOptions } from 'esbuild'
  export const options: BuildOptions
}
declare module '*.esbuild-edits.mjs' {
  import type { Plugin } from 'esbuild'
  export function edited(file: string, text: string): string
  export function requireChecked(name: string, version: string): void
  export const lighterLibraries: Plugin
}
