declare module '*.esbuild.mjs' {
  import type { BuildOptions } from 'esbuild'
  export const options: BuildOptions
}
