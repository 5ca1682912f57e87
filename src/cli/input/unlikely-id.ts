/** Spaces, double quotes, brackets and separators of lists, which IDs rarely contain. */
const unlikely = /[\p{Zs}"<>()[\]{},;]/u

/** Describes an ID that is probably a name or a note, such as `Total: 1`; undefined for other IDs. */
export function describeUnlikelyId(field: string, id: string): string | undefined {
  return unlikely.test(id) ? `${field} “${id}” does not look like an ID` : undefined
}
