// The bundler includes only this field of package.json.
export { version } from '../package.json'
