import { suggest, UsageError } from '../../errors.ts'

/** Creates the error for a key on the command line. Its message does not repeat the key. */
export function explainKeyAsArgument(): UsageError {
  return new UsageError('a key is never passed as an argument: arguments are public', {
    hint: [
      'the key is now in the history of your shell: replace it at the service, and store the new key with: ',
      suggest(['auth', 'login']),
      ', or set MEETROOM_API_KEY',
    ],
  })
}
