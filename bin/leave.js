const fs = require('node:fs')

const signals = { 129: 'SIGHUP', 130: 'SIGINT', 143: 'SIGTERM' }

/**
 * Ends the process at once. Node joins its threads in every way of ending that it has, and one that asks a silent name server
 * cannot be called off: only another program in place of this one ends it with an exit code. Where Node cannot do that (before
 * 22.15, and on Windows), a signal ends what a signal was to end; the rest waits for the resolver.
 * @param isAnswer a shell waits for the answer to a key, and looks at no exit code
 */
module.exports = (code, isAnswer) => {
  if (isAnswer) process.kill(process.pid, 'SIGKILL')
  if (process.platform === 'win32') return
  // Node would do it at its end. Other programs share these streams, and do not expect that writing may fail for now.
  for (const stream of [process.stdin, process.stdout, process.stderr]) stream._handle?.setBlocking?.(true)
  if (!process.execve) {
    if (signals[code]) process.kill(process.pid, signals[code])
    return
  }
  // Node itself takes longer to start, but is there where no shell is.
  if (fs.existsSync('/bin/sh')) process.execve('/bin/sh', ['sh', '-c', `exit ${code}`], {})
  process.execve(process.execPath, ['node', '--eval', `process.exitCode = ${code}`], {})
}
