import type { Host, Visible } from '../../../host.ts'
import { composed } from './visible.ts'

type Machine = Pick<Host, 'env' | 'platform' | 'stdout' | 'stderr' | 'ascii'>

/**
 * Whether text for people takes its symbols from ASCII, and no line is drawn twice: with `--ascii`, on a terminal that says it
 * is dumb, and in a locale of another encoding than UTF-8. A locale that is not set says nothing.
 */
export function isPlain(host: Machine): boolean {
  return host.ascii === true || isOtherEncoding(host) || isDumb(host)
}

/** Whether the locale is known to be of UTF-8. */
export function showsUnicode(host: Machine): boolean {
  return !isPlain(host) && (host.platform === 'win32' || isUtf8(localeOf(host)))
}

/** The locale, as POSIX defines it: the first of three variables that is not empty. */
function localeOf({ env }: Machine): string {
  return env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
}

const isUtf8 = (locale: string) => /utf-?8/i.test(locale)

function isOtherEncoding(host: Machine): boolean {
  if (host.platform === 'win32') return false
  const locale = localeOf(host)
  return !isUtf8(locale) && /^(C|POSIX)$|[.]|@euro$/.test(locale)
}

function isDumb({ env, stdout, stderr }: Machine): boolean {
  return env['TERM'] === 'dumb' && (stdout.isTTY || stderr.isTTY)
}

const symbols: Readonly<Record<string, string>> = {
  ...{ '“': '"', '”': '"', '„': '"', '‘': "'", '’': "'", '…': '...', '–': '-', '—': '-', '→': '->' },
  ...{ '•': '*', '·': '-', '✔': '+', '✖': 'x', '─': '-', '│': '|', '░': '.', '▒': '+' },
}

/** The text with the symbols of this program in ASCII. Letters stay as they are. */
export function inAscii(text: Visible): Visible {
  if (/^[\n -~]*$/.test(text)) return text
  // From the eighth of a block to the whole of it.
  return composed(
    text.replace(
      /[\u2013\u2014\u2018\u2019\u201c\u201d\u201e\u2022\u2026\u2192\u00b7\u2714\u2716\u2500\u2502\u2591\u2592]|[\u2588-\u258f]/g,
      (found) => symbols[found] ?? '#',
    ),
  )
}
