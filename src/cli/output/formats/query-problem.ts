/** Problem in an expression, found by our own checks. */
export class QueryProblem extends Error {}

const tokens: Readonly<Record<string, string>> = {
  Rbracket: ']',
  Rparen: ')',
  Rbrace: '}',
  Lparen: '(',
  Lbracket: '[',
  Lbrace: '{',
  Comma: ',',
  Colon: ':',
  Star: '*',
}

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  expression: 'an expression such as &name',
  null: 'null',
  any: 'any value',
  'Array<string>': 'a list of strings',
  'Array<number>': 'a list of numbers',
  'Array<Array<any>>': 'a list of pairs',
}

const translations: readonly (readonly [RegExp, (...groups: string[]) => string])[] = [
  [/JSON input|JSON literal/, () => 'a quotation mark or backtick is not closed, or holds invalid JSON'],
  [/expected (\w+), got: EOF/, (expected = '') => endOf(expected)],
  [/EOF/, () => 'it is incomplete'],
  [/expected (\w+), got: (\w+)/, (expected = '', got = '') => expectedInstead(expected, got)],
  [/unknown character: ([\s\S])/, (character) => `unexpected “${character}”`],
  [/invalid token \(\w+\): "([\s\S]*)"$/, (value) => `unexpected “${value}”`],
  [/unexpected token type: \w+, value: ([\s\S]*)$/, (value) => `unexpected “${value}”`],
  [/unexpected token: ([\s\S]*)\(\w+\)$/, (value) => `unexpected “${value}”`],
  [/quoted identifier not allowed/, () => 'the name of a function takes no quotation marks'],
  [/undefined variable (.*)/, (name) => `unknown variable $${name}`],
  [
    /(\w+\(\)) expected argument (\d+) to be type \((.*)\) but received type (\w+)/,
    (name, nth, expected = '', got = '') =>
      `argument ${nth} of ${name} must be ${typesIn(expected)}, not ${typesIn(got)}`,
  ],
  [
    /expected (?:one of )?\((.*)\), received (\w+)/,
    (expected = '', got = '') => `a value must be ${typesIn(expected)}, not ${typesIn(got)}`,
  ],
  [/slice step/, () => 'the step of a slice must not be 0'],
  [/divide by zero/, () => 'a division by 0'],
  [/not-a-number/, () => 'an operand is not a number'],
  [/expecting a non-negative integer/, () => 'an argument must be a whole number, at least 0'],
  [/expecting an integer/, () => 'an argument must be a whole number'],
  [/pair of string and value/, () => 'each item of the list must be a pair of a string and a value'],
  [/'pad' parameter/, () => 'the padding must be one character'],
]

/** Describes an error of the JMESPath library, or of our own checks. */
export function describeQueryError(error: unknown): string {
  if (error instanceof QueryProblem) return error.message
  const message = error instanceof Error ? error.message : ''
  for (const [pattern, translate] of translations) {
    const [match, ...groups] = pattern.exec(message) ?? []
    if (match !== undefined) return translate(...groups)
  }
  return 'a value or an operator is not valid there'
}

function endOf(expected: string): string {
  // For an unclosed `[`, the parser's error names the star of `[*]`, its last alternative.
  const token = expected === 'Star' ? ']' : tokens[expected]
  return token === undefined ? 'it is incomplete' : `“${token}” is missing at its end`
}

function expectedInstead(expected: string, got: string): string {
  const unexpected = tokens[got]
  if (expected === 'Star') return 'brackets must hold a number, a slice, *, or a condition such as ?type'
  if (tokens[expected])
    return `“${tokens[expected]}” is missing${unexpected ? ` before “${unexpected}”` : ''}`
  return unexpected ? `unexpected “${unexpected}”` : 'a name is missing'
}

function typesIn(names: string): string {
  return names
    .split(' | ')
    .map((name) => types[name] ?? name)
    .join(' or ')
}
