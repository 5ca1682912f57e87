// Letters that join to the next or previous letter. Source: DerivedJoiningType.txt of Unicode 17, without
// rare letters.
const joinsNext = [
  String.raw`\u0620\u0626\u0628\u062A-\u062E\u0633-\u063F\u0641-\u0647\u0649\u064A\u066E\u066F\u0678-\u0687`,
  String.raw`\u069A-\u06BF\u06C1\u06C2\u06CC\u06CE\u06D0\u06D1\u06FA-\u06FC\u06FF\u0712-\u0714\u071A-\u071D`,
  String.raw`\u071F-\u0727\u0729\u072B\u072D\u072E\u074E-\u0758\u075C-\u076A\u076D-\u0770\u0772\u0775-\u0777`,
  String.raw`\u077A-\u077F\u07CA-\u07EA\u0841-\u0845\u0848\u084A-\u0853\u0855\u0860\u0862-\u0865\u0868\u0886`,
  String.raw`\u0889-\u088D\u088F\u08A0-\u08A9\u08AF\u08B0\u08B3-\u08B8\u08BA-\u08C8\u1807\u1820-\u1878`,
  String.raw`\u1887-\u18A8\u18AA\u{10D00}-\u{10D21}\u{10D23}\u{1E900}-\u{1E943}`,
].join('')
const joinsPrevious = [
  String.raw`\u0620\u0622-\u063F\u0641-\u064A\u066E\u066F\u0671-\u0673\u0675-\u06D3\u06D5\u06EE\u06EF`,
  String.raw`\u06FA-\u06FC\u06FF\u0710\u0712-\u072F\u074D-\u077F\u07CA-\u07EA\u0840-\u0858\u0860\u0862-\u0865`,
  String.raw`\u0867-\u086A\u0870-\u0882\u0886\u0889-\u088F\u08A0-\u08AC\u08AE-\u08C8\u1807\u1820-\u1878`,
  String.raw`\u1887-\u18A8\u18AA\u{10D01}-\u{10D23}\u{1E900}-\u{1E943}`,
].join('')

// Signs with Canonical_Combining_Class=Virama, from UnicodeData.txt, without signs of rare scripts.
const viramas = [
  String.raw`\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA\u0E3A\u0EBA\u0F84\u1039`,
  String.raw`\u103A\u1714\u1715\u1734\u17D2\u1A60\u1B44\u1BAA\u1BAB\u1BF2\u1BF3\u2D7F\uA806\uA82C\uA8C4\uA953`,
  String.raw`\uA9C0\uAAF6\uABED\u{11046}\u{110B9}\u{11133}\u{11134}\u{111C0}\u{11235}\u{112EA}\u{1134D}`,
  String.raw`\u{11442}\u{114C2}\u{115BF}\u{1163F}\u{116B6}\u{1172B}\u{11839}\u{11D44}\u{11D45}\u{11D97}`,
].join('')

// Combining marks, except invisible marks.
const marks = String.raw`(?:(?![\p{VS}\u034f\u17b4\u17b5])\p{M})*`

const reach = 64

/** Returns false where an invisible character could disguise text. */
export function isLegitimateJoiner(mark: string, at: number, text: string): boolean {
  const before = text.slice(Math.max(0, at - reach), at)
  const end = at + mark.length
  const after = text.slice(end, end + reach)
  switch (mark) {
    case '\u200c':
      return isConjunct(before) || isWithinWord(before, after)
    case '\u200d':
      return isConjunct(before) || isRa(before, after) || isEmojiSequence(before, after)
    case '\ufe0e':
    case '\ufe0f':
      return /\p{ExtPict}$/u.test(before) || isKeycap(before, mark, after)
    default:
      return isVariant(mark, before) || isFlag(mark, before)
  }
}

/** Returns true after a virama, in Indic words (RFC 5892, appendixes A.1 and A.2). */
function isConjunct(before: string): boolean {
  return new RegExp(String.raw`\p{L}${marks}(?<=[${viramas}])$`, 'u').test(before)
}

/** Returns true between joining letters, in Arabic and similar scripts (RFC 5892, appendix A.1). */
function isWithinWord(before: string, after: string): boolean {
  return (
    new RegExp(`[${joinsNext}]${marks}$`, 'u').test(before) &&
    new RegExp(`^${marks}[${joinsPrevious}]`, 'u').test(after)
  )
}

/** Returns true between a Bengali or Kannada ra and a virama (The Unicode Standard, chapter 12). */
function isRa(before: string, after: string): boolean {
  return /[\u09b0\u0cb0]$/.test(before) && /^[\u09cd\u0ccd]/.test(after)
}

/** Returns true within an emoji ZWJ sequence (UTS 51, ED-16). */
function isEmojiSequence(before: string, after: string): boolean {
  // Node 26 does not find a skin tone in [\ufe0f\p{EMod}].
  return /\p{ExtPict}(?:\ufe0f|\p{EMod})?$/u.test(before) && /^\p{ExtPict}/u.test(after)
}

/** Returns true within an emoji keycap sequence (UTS 51, ED-14c). */
function isKeycap(before: string, mark: string, after: string): boolean {
  return /[#*\d]$/.test(before) && mark === '\ufe0f' && after.startsWith('\u20e3')
}

/** Returns true if `mark` selects a variant of an ideograph or of a Mongolian letter. */
function isVariant(mark: string, before: string): boolean {
  if (/^[\u180b-\u180d\u180f]$/.test(mark)) return /[\u1820-\u1878\u1880-\u18aa]$/.test(before)
  return /^[\ufe00-\ufe02\u{e0100}-\u{e01ef}]$/u.test(mark) && /\p{Unified_Ideograph}$/u.test(before)
}

/** Returns true for the tags of a region after a black flag (UTS 51, ED-14a). */
function isFlag(mark: string, before: string): boolean {
  const region = /^[\u{e0061}-\u{e007a}]{2}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,4}\u{e007f}$/u
  return before.endsWith('\u{1f3f4}') && region.test(mark)
}
