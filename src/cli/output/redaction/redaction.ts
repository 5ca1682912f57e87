/*
 * Redaction of secrets in output, files and logs. Other directories import this file.
 *
 * - `secret-filter.ts`: access tokens in results.
 * - `fields.ts`: masking of secret fields, and names of secret headers.
 * - `create-redactor.ts`: keys in any text, plain or encoded.
 * - `responses.ts`: keys in responses.
 * - `requests.ts`: secrets in the requests of `--dry-run` and `--curl`. Loaded lazily and imported directly.
 */

export { createRedactor, KnownSecrets, type Redact } from './create-redactor.ts'
export { holdsSecret, isSecretHeader, mask, maskSecrets, maskText, removeSecrets } from './fields.ts'
export { redactResponses } from './responses.ts'
export { SecretFilter, WithoutSecrets } from './secret-filter.ts'
