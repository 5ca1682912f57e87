import { suggest, UsageError } from '../../errors.ts'

export function explainKeyAsArgument(): UsageError {
  return new UsageError(
    'a key cannot be passed as an argument, because other accounts of this machine can see arguments',
    {
      hint: [
        'the key is now in the history of your shell: replace it at the service, and store the new key with: ',
        suggest(['auth', 'login']),
        ', or set MEETROOM_API_KEY',
      ],
    },
  )
}
