// Re-exports limit the bundle to these functions, in a chunk that only workspace files load.
export { isCollection, isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml'
