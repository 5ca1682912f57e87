import type { Host, Visible } from '../../../host.ts'
import { markVisible } from './visible.ts'

type Machine = Pick<Host, 'env' | 'platform' | 'stdout' | 'stderr' | 'ascii'>

/** Returns true with `--ascii`, on a dumb terminal, and in a locale that is known not to be UTF-8. */
export function isAsciiOnly(host: Machine): boolean {
  return host.ascii === true || isOtherEncoding(host) || isDumb(host)
}

export function canShowUnicode(host: Machine): boolean {
  return !isAsciiOnly(host) && (host.platform === 'win32' || isUtf8(readLocale(host)))
}

/** Returns the locale. POSIX ignores variables that are empty. */
function readLocale({ env }: Machine): string {
  return env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
}

const isUtf8 = (locale: string) => /utf-?8/i.test(locale)

function isOtherEncoding(host: Machine): boolean {
  if (host.platform === 'win32') return false
  const locale = readLocale(host)
  return !isUtf8(locale) && /^(C|POSIX)$|[.]|@euro$/.test(locale)
}

function isDumb({ env, stdout, stderr }: Machine): boolean {
  return env['TERM'] === 'dumb' && (stdout.isTTY || stderr.isTTY)
}

const symbols: Readonly<Record<string, string>> = {
  ...{ '“': '"', '”': '"', '„': '"', '‘': "'", '’': "'", '…': '...', '–': '-', '—': '-', '→': '->' },
  ...{ '•': '*', '·': '-', '✔': '+', '✖': 'x', '─': '-', '│': '|', '░': '.', '▒': '+' },
}

export function toAscii(text: Visible): Visible {
  if (/^[\n -~]*$/.test(text)) return text
  // The pattern includes all block elements from one eighth to a full block.
  return markVisible(
    text.replace(
      /[\u2013\u2014\u2018\u2019\u201c\u201d\u201e\u2022\u2026\u2192\u00b7\u2714\u2716\u2500\u2502\u2591\u2592]|[\u2588-\u258f]/g,
      (found) => symbols[found] ?? '#',
    ),
  )
}
