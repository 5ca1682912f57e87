import { createRequire } from 'node:module'
import type { Receiver } from '../../src/client/http/plain-answer.ts'

const require = createRequire(import.meta.url)
// The types of Node alone do not have it.
const { Module, Instance } = Reflect.get(globalThis, 'WebAssembly')
const wasm = new Module(require('undici/lib/llhttp/llhttp_simd-wasm.js'))
const response = 2

interface Exports {
  memory: { buffer: ArrayBuffer }
  malloc(size: number): number
  llhttp_alloc(type: number): number
  llhttp_execute(parser: number, at: number, length: number): number
}

/**
 * Reads an answer with the parser that undici uses.
 * @returns 0, or the number of its error
 */
export function parse(chunk: Buffer, to: Receiver): number {
  const view = (from: number, length: number) => chunk.subarray(from - at, from - at + length)
  const text = (tell: (text: Buffer) => number) => (_: number, from: number, length: number) =>
    tell(view(from, length))
  const { exports: llhttp }: { exports: Exports } = new Instance(wasm, {
    env: {
      wasm_on_url: () => 0,
      wasm_on_message_begin: () => to.onMessageBegin(),
      wasm_on_status: text((status) => to.onStatus(status)),
      wasm_on_header_field: text((name) => to.onHeaderField(name)),
      wasm_on_header_value: text((value) => to.onHeaderValue(value)),
      wasm_on_headers_complete: (_: number, status: number, upgrade: number, alive: number) =>
        to.onHeadersComplete(status, upgrade === 1, alive === 1),
      wasm_on_body: text((body) => to.onBody(body)),
      wasm_on_message_complete: () => to.onMessageComplete(),
    },
  })
  const at = llhttp.malloc(chunk.length)
  new Uint8Array(llhttp.memory.buffer, at, chunk.length).set(chunk)
  return llhttp.llhttp_execute(llhttp.llhttp_alloc(response), at, chunk.length)
}
