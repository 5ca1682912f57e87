/** What each exit code means. */
export const exitCodeWords: Readonly<Record<number, string>> = {
  0: 'done; an empty list is 0',
  1: 'the service refused the request (also: 500 with a JSON body); of doctor: something is wrong',
  2: 'flags, input or settings are wrong; nothing was sent',
  3: 'no such room, member, user or profile',
  4: 'no API key, or the key is refused',
  5: 'no answer: DNS, connection refused, TLS, proxy, deadline',
  6: 'the service failed, its answer cannot be read, or the base URL is not that of a Meeting Room Service',
  7: 'the result of a write is not known; the hint says how to check',
  8: 'some items of several failed, or the service did not list all items',
  9: 'a condition that was asked for does not hold, or did not hold in time',
  10: 'confirmation was required but not given',
  70: 'a bug of meetroom',
  74: 'the output or the audit log could not be written, or the system has too few file handles',
  129: 'the terminal was closed (SIGHUP)',
  130: 'interrupted (SIGINT)',
  143: 'terminated (SIGTERM)',
}

const width = 80
const indent = 6

const lines = Object.entries(exitCodeWords).map(([code, words]) => {
  const fill = new RegExp(`(.{1,${width - indent}})(?: |$)`, 'g')
  return `${code.padStart(4)}  ${words
    .replace(fill, '$1\n')
    .trimEnd()
    .replaceAll('\n', `\n${' '.repeat(indent)}`)}`
})

export const exitCodes = `Exit codes

${lines.join('\n')}`
