/** Values by placeholder; null for a missing value. */
export type LinkValues = Readonly<Record<string, string | null>>

export type Link = { link: string; reason: null } | { link: null; reason: string }

/**
 * Builder of links from a template, such as
 * `https://host/meet?room_id={room_id}&access_token={access_token}`.
 */
export class LinkTemplate {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  get fields(): readonly string[] {
    return Array.from(this.#text.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
  }

  uses(field: string): boolean {
    return this.fields.includes(field)
  }

  fill(values: LinkValues): Link {
    return fillTemplate(this.#text, values)
  }

  /** Omits each query or fragment parameter whose whole value is a placeholder that `values` does not contain. */
  fillForAnyone(values: LinkValues): Link {
    const isKept = (pair: string) => Object.hasOwn(values, /=\{(\w+)\}$/.exec(pair)?.[1] ?? 'room_id')
    const keep = (part: string) => part.split('&').filter(isKept).join('&')
    const [, path = '', query = '', fragment = ''] =
      /^([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/.exec(this.#text) ?? []
    const [keptQuery, keptFragment] = [keep(query), keep(fragment)]
    const text = path + (keptQuery && `?${keptQuery}`) + (keptFragment && `#${keptFragment}`)
    return fillTemplate(text, values)
  }
}

const labels: Readonly<Record<string, string>> = {
  room_id: 'room ID',
  user_id: 'user ID',
  access_token: 'access token',
}

function fillTemplate(text: string, values: LinkValues): Link {
  const [path = ''] = text.split(/[?#]/)
  for (const [, field = ''] of text.matchAll(/\{(\w+)\}/g)) {
    const value = values[field] ?? ''
    const label = labels[field] ?? field.replace('_', ' ')
    if (value === '' && labels[field]) return { link: null, reason: `no ${label}` }
    if (!value.isWellFormed()) return { link: null, reason: `the ${label} is not valid Unicode` }
    // Browsers resolve the segments `.` and `..`, even percent-encoded.
    if (/^\.\.?$/.test(value) && path.includes(`{${field}}`))
      return { link: null, reason: `the ${label} “${value}” cannot be part of a path` }
  }
  const link = text.replace(/\{(\w+)\}/g, (_, field: string) => encodeValue(values[field] ?? ''))
  return { link, reason: null }
}

/** Also encodes `!'()*`, because email clients may end links at these characters. */
function encodeValue(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
