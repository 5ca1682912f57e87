import type { Proof } from '../proof.ts'

export const acknowledging: Proof = { answers: 'acknowledges' }
export const denying: Proof = { answers: 'denies' }
export const garbling: Proof = { answers: 'garbles' }
export const html = '<!doctype html><html><body><h1>Sign in</h1></body></html>'
export const isHtml = { 'content-type': 'text/html' }
export const isText = { 'content-type': 'text/plain' }
