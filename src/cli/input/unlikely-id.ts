import { idPattern } from '../../api/path.ts'

/** Spaces, double quotes, brackets and separators of lists, which IDs rarely contain. */
const unlikely = /[\p{Zs}"<>()[\]{},;]/u
/** Numbers such as `1.0E+11`, as spreadsheets write them. */
const damagedNumber = /^-?\d(?:[.,]\d+)?E\+\d\d+$/i
/** Errors of spreadsheets, such as `#REF!`, in English and German. */
const cellError = /^#(?:REF|NAME|VALUE|N\/A|DIV\/0|NULL|NUM|NV|BEZUG|WERT|ZAHL|#+)[!?]?$/i
/** Numbers such as `7E3`, which may also be IDs. */
const scientific = /^-?\d(?:[.,]\d+)?E\+?\d+$/i

/** Describes an ID that is probably a mistake; undefined for other IDs. */
export function describeUnlikelyId(field: string, id: string): string | undefined {
  return [unlikely, damagedNumber, cellError, scientific].some((pattern) => pattern.test(id))
    ? `${field} “${id}” does not look like an ID`
    : undefined
}

/** Describes a value that a spreadsheet has certainly replaced; undefined for other values. */
export function findDamage(field: string, value: string): string | undefined {
  if (cellError.test(value))
    return `${field} “${value}” is the error of a formula; correct the formula and save the file again`
  return /(^|_)id$/.test(field) && damagedNumber.test(value)
    ? `${field} “${value}” was damaged by a spreadsheet; format the column as text and save the file again`
    : undefined
}

/** Returns true for email fields, which some services have although the API specification lists none. */
export function isEmailField(field: string): boolean {
  return /(^|_)e[-_]?mail(_address)?$/i.test(field)
}

/** Describes an email that cannot be an address; undefined for other fields and values. */
export function describeUnlikelyEmail(field: string, value: unknown): string | undefined {
  return isEmailField(field) && typeof value === 'string' && !/^$|^[^\s<>@,;]+@[^\s<>@,;]+$/.test(value)
    ? `${field} “${value}” ${value.includes('@') ? 'is not a valid email address' : 'has no @'}`
    : undefined
}

/** Returns true for text in place of a room ID that is probably a name: short, with spaces or non-ASCII letters. */
export function looksLikeName(text: string): boolean {
  return !idPattern.test(text) && (text.length < 6 || /[^!-~]/.test(text))
}
