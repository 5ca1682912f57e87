const fs = require('node:fs')

const signals = { 129: 'SIGHUP', 130: 'SIGINT', 143: 'SIGTERM' }

/**
 * Ends the process without joining its threads, where possible. A thread that waits for a name server or a
 * pipe could delay the exit.
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
