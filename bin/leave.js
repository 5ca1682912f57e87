const fs = require('node:fs')

const signals = { 129: 'SIGHUP', 130: 'SIGINT', 143: 'SIGTERM' }

/**
 * Ends the process without waiting for its threads, where possible. At exit, Node joins its threads, and a
 * thread that waits for a name server or pipe cannot be canceled. Replacing the process with another program
 * avoids the wait and keeps the exit code.
 * @param isAnswer true if a shell waits for output and ignores the exit code
 */
module.exports = (code, isAnswer) => {
  if (isAnswer) process.kill(process.pid, 'SIGKILL')
  if (process.platform === 'win32') return
  // Programs that share the streams expect blocking streams.
  for (const stream of [process.stdin, process.stdout, process.stderr]) stream._handle?.setBlocking?.(true)
  if (!process.execve) {
    if (signals[code]) process.kill(process.pid, signals[code])
    return
  }
  // Node starts more slowly than a shell, but exists on systems without one.
  if (fs.existsSync('/bin/sh')) process.execve('/bin/sh', ['sh', '-c', `exit ${code}`], {})
  process.execve(process.execPath, ['node', '--eval', `process.exitCode = ${code}`], {})
}
