// Service of bench:lookups and bench:bulk: knows the users whose ID begins with `old`, responds with 400 to IDs that
// begin with `bad` and with 404 to others, and accepts each user that it is sent without storing it. Bare sockets, because an HTTP server would limit the client.
import { type AddressInfo, createServer } from 'node:net'

function response(status: string, text: string): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
}

const missing = response('404 Not Found', '{"error":{"code":"not_found","message":"no such user"}}')
const refused = response('400 Bad Request', '{"error":{"code":"not_found","message":"no such user"}}')
const noRooms = response('200 OK', '{"rooms":[],"paging":{"limit":1,"offset":0,"total":0}}')

function respond(head: string, body: string): string {
  if (head.startsWith('POST ')) return response('200 OK', `{"user":${body}}`)
  const [, id] = /^GET \/v1\/users\/(old\d+) /.exec(head) ?? []
  if (id !== undefined) return response('200 OK', `{"user":{"user_id":"${id}","name":"Person"}}`)
  if (head.startsWith('GET /v1/rooms?')) return noRooms
  return head.startsWith('GET /v1/users/bad') ? refused : missing
}

const server = createServer({ noDelay: true }, (socket) => {
  let text = ''
  socket
    .on('error', () => {})
    .setEncoding('latin1')
    .on('data', (chunk) => {
      text += chunk
      for (;;) {
        const endOfHead = text.indexOf('\r\n\r\n')
        if (endOfHead < 0) return
        const head = text.slice(0, endOfHead)
        const [, length = 0] = /content-length: *(\d+)/i.exec(head) ?? []
        const end = endOfHead + 4 + Number(length)
        if (text.length < end) return
        socket.write(respond(head, text.slice(endOfHead + 4, end)))
        text = text.slice(end)
      }
    })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
