import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { profileName } from '../../config/stored-file.ts'
import { suggest, UsageError } from '../../errors.ts'
import { quoteWord } from '../output/hint-text.ts'
import { mayBeKey } from './typed.ts'

/** @param argv typed words, whose URL, profile and file the hint keeps */
export function explainKeyAsArgument(argv: readonly string[] = [], cwd = '.'): UsageError {
  const url = argv.find((word) => /^https?:\/\/[^@?#]+$/i.test(word))
  const profile = argv[argv.indexOf('--profile') + 1] ?? ''
  const isNamed = argv.includes('--profile') && profileName.test(profile) && !mayBeKey(profile)
  const login = [
    ...['auth', 'login', ...(url === undefined ? [] : [url])],
    ...(isNamed ? ['--profile', profile] : []),
  ]
  const file = argv[argv.indexOf('--with-key') + 1] ?? ''
  if (argv.includes('--with-key') && existsSync(resolve(cwd, file)))
    return new UsageError('--with-key reads the key from standard input', {
      hint: ['type: ', suggest([...login, '--with-key']), ` < ${quoteWord(file)}`],
    })
  return new UsageError(
    'a key cannot be passed as an argument, because other accounts of this machine can see arguments',
    {
      hint: [
        'the key is now in the history of your shell: replace it at the service; then set MEETROOM_API_KEY, or store the new key with: ',
        suggest(login),
      ],
    },
  )
}
