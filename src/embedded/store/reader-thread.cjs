// Runs a `JsonQuery` in a thread of its own: see reader.ts. JavaScript, as a thread begins with a file that
// Node itself can run.
const { parentPort, workerData } = require('node:worker_threads')

// Node 22 calls its SQLite experimental, once more in each thread.
process.removeAllListeners('warning')

const database = open(workerData)
database.exec('PRAGMA busy_timeout = 5000')
database.exec('PRAGMA query_only = ON')
const statements = new Map()

parentPort.on('message', ({ sql, values }) => {
  try {
    let statement = statements.get(sql)
    if (!statement) {
      statement = database.prepare(sql)
      statements.set(sql, statement)
    }
    parentPort.postMessage({ json: statement.get(...values).json })
  } catch ({ code, message }) {
    parentPort.postMessage({ failure: { code, message } })
  }
})

/** As sqlite.ts does. */
function open(file) {
  try {
    const { DatabaseSync } = require('node:sqlite')
    return new DatabaseSync(file)
  } catch (error) {
    if (error.code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error
  }
  const Database = require('libsql')
  return new Database(file)
}
