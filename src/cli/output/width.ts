import stringWidth from 'string-width'

/** How many columns of a terminal a text takes. Measuring compiles a pattern of all emoji; most text is ASCII. */
export function widthOfText(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text)
}
