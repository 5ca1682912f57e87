/** Meaning of each exit code, in Markdown. */
export const exitCodes: Readonly<Record<number, string>> = {
  0: 'Done. An empty list also exits 0.',
  1: 'The service refused the request, reported a validation exception (500 with JSON), or has a conflicting item. For `doctor`: a check failed.',
  2: 'Flags, input or settings are wrong. The profile of a flag or of `MEETROOM_PROFILE` does not exist.',
  3: 'No such room, member, user, delivery or path. For `profiles`: no such profile. For `config get`: no value.',
  4: 'No key or token, or the key is refused.',
  5: 'No response: DNS, refused connection, TLS, proxy or timeout.',
  6: 'The service failed, its response cannot be parsed, or the base URL does not belong to a Meeting Room Service.',
  7: 'The outcome of a write is unknown. The hint shows how to check it.',
  8: 'Items failed, a list is incomplete, or a step after a change failed.',
  9: 'A condition is not met, or was not met in time. For `workspace diff`: the workspace differs from the file.',
  10: 'Confirmation was required but not given.',
  70: 'A bug in meetroom.',
  74: 'The output, a file or the audit log cannot be written; the local workspace is unusable; too many files are open (exit 5 while connecting).',
  129: 'The terminal was closed (SIGHUP).',
  130: 'Interrupted (SIGINT).',
  143: 'Terminated (SIGTERM).',
}
