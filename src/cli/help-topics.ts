/** The topics of `meetroom help`, word for word as the README has them. */
export const topics = {
  'exit-codes': `Exit codes

   0  done; an empty list is 0
   1  the service refused the request (also: 500 with a JSON body)
   2  flags, input or settings are wrong; nothing was sent
   3  no such room, member, user or profile
   4  no API key, or the key is refused
   5  no answer: DNS, connection refused, TLS, proxy, deadline
   6  the service failed, its answer cannot be read, or the base URL is not that
      of a Meeting Room Service
   7  the result of a write is not known; the hint says how to check
   8  some items of several failed
   9  a condition that was asked for does not hold
  10  confirmation was required but not given
  70  a bug of meetroom
  74  the output could not be written, or the system has too few file handles
 130  interrupted (SIGINT); 143 for SIGTERM`,
  environment: `Environment

  MEETROOM_API_KEY       API key; beats a stored one
  MEETROOM_BASE_URL      base URL of the service, ending in /v1
  MEETROOM_PROFILE       profile to use; “local” is the embedded service
  MEETROOM_OUTPUT        output format: table, json, ndjson, csv, ids
  MEETROOM_TIMEOUT       deadline of each call, in seconds
  MEETROOM_RETRIES       maximum number of retries
  MEETROOM_CONFIG_DIR    folder of the settings file
  MEETROOM_DATA_DIR      folder of the embedded workspace
  MEETROOM_NO_INPUT      never prompt

  NO_COLOR, FORCE_COLOR  print no colours, or colours even in a pipe
  COLUMNS                width of tables on a terminal
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                         proxies; loopback is never proxied
  NODE_EXTRA_CA_CERTS    file with additional CA certificates

A flag takes precedence over the environment, the environment over the profile,
With both MEETROOM_API_KEY and MEETROOM_BASE_URL set and no profile named, no
settings file is read.`,
  formatting: `Formatting

  -o table    for people, the default: aligned, blank for null; columns for which
              the terminal is too narrow are left out, and named
  -o json     the body that the service sent: byte for byte in a pipe, indented
              on a terminal; with --all one document with every item
  -o ndjson   one item a line, as the items arrive
  -o csv      RFC 4180; cells that a spreadsheet would run as a formula are made
              harmless
  -o ids      one id a line, for xargs and for the commands that take - for ids

  --columns a,b   fields of a table or of CSV, in that order
  --no-header     no header

The format never changes because the output is a pipe; only colours, relative
times and truncation do. Control characters, bidi overrides and zero-width
characters of the service’s text are shown as escapes, but for joiners where
they belong.`,
} as const
