import stringWidth from 'string-width'
import type { Visible } from '../../../host.ts'
import { composed } from './visible.ts'

/** How many columns of a terminal a text takes. Measuring compiles a pattern of all emoji; most text is ASCII. */
export function widthOfText(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text)
}

/** The text, padded with blanks to a width in columns. */
export function padded(text: Visible, columns: number): Visible {
  return composed(text + ' '.repeat(Math.max(0, columns - widthOfText(text))))
}
