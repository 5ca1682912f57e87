// Only these functions of the library are bundled, in a part that only workspace files load.
export { isCollection, isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml'
