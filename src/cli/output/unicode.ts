import type { Host } from '../../host.ts'

/** Whether the locale is of UTF-8, as POSIX has it: the first of three variables that says something. */
export function showsUnicode({ env, platform }: Pick<Host, 'env' | 'platform'>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return platform === 'win32' || /utf-?8/i.test(locale)
}
