const fs = require('node:fs')

const signals = { 129: 'SIGHUP', 130: 'SIGINT', 143: 'SIGTERM' }

/**
 * Ends the process immediately. At exit, Node joins its threads, and a thread that waits for a name server or
 * pipe cannot be canceled. Replacing the process with another program avoids the wait and keeps the exit
 * code. Without `execve` (Node before 22.15), a signal ends the process if the exit code is the code of that
 * signal. On Windows, the process waits.
 * @param isAnswer true if a shell waits for output and ignores the exit code
 */
module.exports = (code, isAnswer) => {
  if (isAnswer) process.kill(process.pid, 'SIGKILL')
  if (process.platform === 'win32') return
  // Makes the streams blocking, as Node does at exit, because programs that share the streams expect this.
  for (const stream of [process.stdin, process.stdout, process.stderr]) stream._handle?.setBlocking?.(true)
  if (!process.execve) {
    if (signals[code]) process.kill(process.pid, signals[code])
    return
  }
  // Node starts more slowly, but exists on systems without a shell.
  if (fs.existsSync('/bin/sh')) process.execve('/bin/sh', ['sh', '-c', `exit ${code}`], {})
  process.execve(process.execPath, ['node', '--eval', `process.exitCode = ${code}`], {})
}
