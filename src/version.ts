// The bundler includes only this field of package.json, so that the file is not read at run time.
export { version } from '../package.json'
