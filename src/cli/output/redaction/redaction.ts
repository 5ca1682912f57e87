/* Redaction of secrets in output, files and logs. Other directories import this file or `requests.ts`. */

export { createRedactor, KnownSecrets, type Redact } from './create-redactor.ts'
export { holdsSecret, isSecretHeader, mask, maskSecrets, maskText, removeSecrets } from './fields.ts'
export { redactResponses } from './responses.ts'
export { SecretFilter, WithoutSecrets } from './secret-filter.ts'
