/*
 * Secrets in everything that the program prints, writes or logs. Other folders import only this file.
 *
 * - `secret-filter.ts`: access tokens in results. Masked in JSON on a terminal; removed from tables, CSV and TSV.
 * - `fields.ts`: which fields and headers are secret, and how a value is masked.
 * - `redact.ts`: keys in any text, in any encoding.
 * - `responses.ts`: keys in error responses.
 * - `requests.ts`: secrets in the requests of `--dry-run` and `--curl`. Loaded late, so imported by its own name.
 */
export { holdsSecret, isSecretHeader, mask, maskSecrets, maskText, removeSecrets } from './fields.ts'
export { createRedactor, KnownSecrets, type Redact } from './redact.ts'
export { redactResponses } from './responses.ts'
export { SecretFilter, WithoutSecrets } from './secret-filter.ts'
