import { AuthError, suggest, UsageError } from '../errors.ts'
import type { Settings } from './settings.ts'
import type { Key } from './stored-file.ts'
import { isClear } from './values.ts'

/** Returns advice on a refused key from the environment; undefined for any other key. */
export function adviseOnVariable({ apiKey }: Settings): string | undefined {
  return apiKey?.from === 'MEETROOM_API_KEY'
    ? 'the key is from MEETROOM_API_KEY; correct it, or unset it to use a stored key'
    : undefined
}

/**
 * @throws {AuthError} if there is no key for the base URL
 * @throws {UsageError} if a profile's key would be sent over plain http to another machine
 */
export function selectKey(settings: Settings): Key {
  const { apiKey, keyCommand, apiKeyOrigin, baseUrl, profile, keyHolder } = settings
  const empty = settings.isKeyEmpty ? '; MEETROOM_API_KEY is empty' : ''
  const holder =
    keyHolder === undefined
      ? undefined
      : {
          hint: `pass --profile ${keyHolder.name}, which has a key for this service`,
          lineEdit: {
            before: `use profile ${keyHolder.name}, which has a key for this service: `,
            // The base URL of the environment may lack the version.
            add: ['--profile', keyHolder.name, '--base-url', keyHolder.baseUrl],
          },
        }
  const found = keyCommand ? { command: keyCommand.value } : apiKey && { value: apiKey.value }
  if (!found)
    throw new AuthError(
      `no API key${empty}`,
      holder ?? {
        hint: [
          'log in with: ',
          suggest(['auth', 'login']),
          ', or set MEETROOM_API_KEY, or use the local workspace: ',
          suggest(['rooms', 'list', '--local']),
        ],
      },
    )
  const url = new URL(baseUrl?.value ?? '')
  // A profile name cannot contain the punctuation of an IPv6 address.
  const unusedName = url.hostname.replaceAll(/[[\]:]/g, '')
  if (apiKeyOrigin !== undefined && apiKeyOrigin !== url.origin)
    throw new AuthError(
      `the key of profile ${profile.value} belongs to ${apiKeyOrigin} and is not sent to ${url.origin}${empty}`,
      {
        // The stored origin may not be a URL, so only the schemes are removed.
        ...(apiKeyOrigin.replace(/^\w+:/, '') === url.origin.replace(/^\w+:/, '') && {
          correction: [baseUrl?.value ?? '', url.href.replace(url.origin, apiKeyOrigin)] as const,
        }),
        ...(holder ?? {
          hint: [
            'log in to that service with: ',
            suggest(['auth', 'login', '--profile', unusedName, '--base-url', baseUrl?.value ?? '']),
          ],
        }),
      },
    )
  if (apiKeyOrigin !== undefined && isClear(url))
    throw new UsageError(`the stored key is not sent over plain http to ${url.host}`, {
      hint: 'use an https base URL',
    })
  return found
}
