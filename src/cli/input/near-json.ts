/**
 * Converts a flat object such as `{name:X,type:open}` to JSON, because shells remove double quotes.
 * @returns undefined for other text
 */
export function findNearJson(text: string): string | undefined {
  const [, inside] = /^\s*'?\{([^{}[\]"]+)\}'?\s*$/.exec(text) ?? []
  return inside === undefined ? undefined : toJson(inside.split(/,(?=\s*'?\w+'?\s*:)/))
}

/** Converts `name:X` and `type:open` to a JSON object; undefined if a part is not a pair. */
export function toJson(parts: readonly string[]): string | undefined {
  const entries: [key: string, value: unknown][] = []
  for (const part of parts) {
    const [, key, quoted, bare = ''] =
      /^\s*'?([a-z_]\w*)'?\s*:\s*(?:'([^']*)'|([^'\s][^']*?))\s*$/i.exec(part) ?? []
    if (key === undefined) return undefined
    const isLiteral = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?)$/.test(bare)
    entries.push([key, quoted ?? (isLiteral ? JSON.parse(bare) : bare)])
  }
  return JSON.stringify(Object.fromEntries(entries))
}
