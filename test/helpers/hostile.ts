import fc from 'fast-check'

const esc = '\u001b'

/** Text that a terminal may execute, hide or show wrongly. */
const trouble = [
  ...[
    `${esc}]52;c;b3duZWQ=\u0007`,
    `${esc}]0;title${esc}\\`,
    `${esc}[2J`,
    `${esc}[5m`,
    `${esc}[38;5;1m`,
    `${esc}[6n`,
  ],
  ...[`${esc}P$q${esc}\\`, `${esc}c`, `${esc}(0`, '\u009b5m', '\u009d0;x\u009c', '\u0090q', '\u0085'],
  ...['\0', '\b', '\r', '\n', '\t', '\v', '\f', '\u007f', '\u000e', '\u0007'],
  ...['\u202a', '\u202e', '\u2066', '\u2069', '\u200e', '\u061c', '\u200b', '\ufeff', '\u2060', '\u00ad'],
  ...[
    '\u200c',
    '\u200d',
    '\ufe0f',
    '\ufe0e',
    '\u{e0041}',
    '\u{e0061}\u{e007f}',
    '\u{e0100}',
    '\u180b',
    '\u034f',
  ],
  ...[
    '\u2028',
    '\u2029',
    '\ud800',
    '\udc00',
    '\ue000',
    '\u{f0000}',
    '\u{10ffff}',
    '\ufffe',
    '\u2065',
    '\ufff0',
    '\u{e0000}',
    '\u{e0fff}',
    '\u3164',
    '\u2800',
  ],
]

/** Characters beside which joiners, variation selectors or tags may be valid. */
const neighbours = [
  'a',
  'ب',
  'م',
  'क',
  '्',
  'র',
  '👩',
  '🏴',
  '❤',
  '1',
  '#',
  '\u20e3',
  '漢',
  'ᠠ',
  'e\u0301',
  'ﷺ',
  '字',
]

export const hostileText = fc
  .array(
    fc.oneof(
      { arbitrary: fc.constantFrom(...trouble), weight: 40 },
      { arbitrary: fc.constantFrom(...neighbours), weight: 20 },
      { arbitrary: fc.string({ unit: 'binary', maxLength: 4 }), weight: 20 },
      { arbitrary: fc.constantFrom('x'.repeat(300), '👩'.repeat(50), '\u0301'.repeat(200)), weight: 1 },
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(''))

const pathParts = [
  ...[
    '..',
    '.',
    '/',
    '\\',
    '//',
    '%2e',
    '%2E%2e',
    '%2f',
    '%5c',
    '%252e',
    '%',
    '%zz',
    '%00',
    '．．',
    '。',
    '／',
    '\u2215',
  ],
  ...[
    '?',
    '?limit=1',
    '&',
    '&limit=9',
    '=',
    '#',
    '#x',
    ';',
    ';x=1',
    ':',
    '@',
    '@evil.test',
    'https://evil.test/',
    '//evil.test',
  ],
  ...[
    '\r\nHost: evil.test',
    '\0',
    ' ',
    '\t',
    '\n',
    '\u2028',
    '\ud800',
    '\u0085',
    '+',
    '*',
    '~',
    "'",
    '"',
    '`',
    '$(id)',
    '{id}',
  ],
  ...[
    '..;',
    '.%00.',
    '\u202e',
    'rooms',
    'members',
    'r1',
    'null',
    'undefined',
    '__proto__',
    'constructor',
    '-1',
    '0',
    'x'.repeat(5000),
  ],
]

/** IDs that could change the path or the query of a request. */
export const hostileId = fc.oneof(
  { arbitrary: fc.constantFrom(...pathParts), weight: 1 },
  {
    arbitrary: fc
      .array(fc.constantFrom(...pathParts), { minLength: 2, maxLength: 5 })
      .map((parts) => parts.join('')),
    weight: 5,
  },
  {
    arbitrary: fc.string({
      unit: fc.constantFrom(...'./\\?#%&=@:;+ ~!*()[]{}|^<>,-_a0é字\0\r\n'),
      maxLength: 12,
    }),
    weight: 3,
  },
  { arbitrary: hostileText, weight: 1 },
)

/** Object that cannot be converted to text. */
export const noText = { toString: null, valueOf: null }

/** JSON values of any shape, some with hostile text. */
export const hostileJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      hostileText,
      fc.constantFrom<unknown>(null, true, false, 0, -1, 1e21, 0.1, '', '#DEPRECATED#', noText),
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(hostileText, tie('value'), { maxKeys: 3 }),
  ),
})).value
