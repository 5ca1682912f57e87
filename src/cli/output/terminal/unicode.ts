import type { Host, Visible } from '../../../host.ts'
import { markVisible } from './visible.ts'

type Machine = Pick<Host, 'env' | 'platform' | 'stdout' | 'stderr' | 'ascii'>

export function isAsciiOnly(host: Machine): boolean {
  return host.ascii === true || isOtherEncoding(host) || isDumb(host)
}

export function canShowUnicode(host: Machine): boolean {
  return !isAsciiOnly(host) && (host.platform === 'win32' || isUtf8(readLocale(host)))
}

/** POSIX ignores empty variables. */
const readLocale = ({ env }: Machine): string => env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''

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
  // The last range is the full block and the left blocks down to one eighth.
  return markVisible(
    text.replace(
      /[\u2013\u2014\u2018\u2019\u201c\u201d\u201e\u2022\u2026\u2192\u00b7\u2714\u2716\u2500\u2502\u2591\u2592]|[\u2588-\u258f]/g,
      (found) => symbols[found] ?? '#',
    ),
  )
}
