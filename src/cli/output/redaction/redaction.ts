/*
 * Redaction of secrets in all output, files and logs. Other directories import this file.
 *
 * - `secret-filter.ts`: access tokens in results (masked in terminal JSON; removed from tables, CSV and TSV).
 * - `fields.ts`: names of secret fields and headers, and the masking of their values.
 * - `create-redactor.ts`: keys in any text, plain or encoded.
 * - `responses.ts`: keys in error responses.
 * - `requests.ts`: secrets in the requests of `--dry-run` and `--curl`. Loaded lazily and imported directly.
 */

export { createRedactor, KnownSecrets, type Redact } from './create-redactor.ts'
export { holdsSecret, isSecretHeader, mask, maskSecrets, maskText, removeSecrets } from './fields.ts'
export { redactResponses } from './responses.ts'
export { SecretFilter, WithoutSecrets } from './secret-filter.ts'
