/** Spaces, double quotes, brackets and separators of lists, which IDs rarely contain. */
const unlikely = /[\p{Zs}"<>()[\]{},;]/u
/** Numbers such as `1.0E+11` and errors such as `#REF!` from spreadsheets. */
const damaged = /^-?\d(?:[.,]\d+)?E\+?\d+$|^#(?:REF|NAME|VALUE|N\/A|DIV\/0|NULL|NUM|#+)[!?]?$/i

/** Describes an ID that is probably a mistake; undefined for other IDs. */
export function describeUnlikelyId(field: string, id: string): string | undefined {
  return unlikely.test(id) || damaged.test(id) ? `${field} “${id}” does not look like an ID` : undefined
}

/** Returns true for email fields, which some services have although the API specification lists none. */
export function isEmailField(field: string): boolean {
  return /(^|_)e[-_]?mail(_address)?$/i.test(field)
}

/** Describes an email that cannot be an address; undefined for other fields and values. */
export function describeUnlikelyEmail(field: string, value: unknown): string | undefined {
  return isEmailField(field) && typeof value === 'string' && !/^$|@/.test(value)
    ? `${field} “${value}” has no @`
    : undefined
}
