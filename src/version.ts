// The bundler keeps of package.json only what is named here; nothing is read at start-up.
export { version } from '../package.json'
