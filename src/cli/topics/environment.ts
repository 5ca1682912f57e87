export const environment = `Environment

  MEETROOM_API_KEY       API key; beats a stored one
  MEETROOM_BASE_URL      base URL of the service, ending in /v1
  MEETROOM_PROFILE       profile to use; “local” is the embedded service
  MEETROOM_OUTPUT        output format: table, json, ndjson, csv, tsv, ids
  MEETROOM_TIMEOUT       deadline of each call, as in 10 or 1m30s
  MEETROOM_RETRIES       maximum number of retries
  MEETROOM_AUDIT_LOG     file that records every change, as an absolute path
  MEETROOM_SAVE_DELETED  folder in which what is deleted is saved first
  MEETROOM_CONFIG_DIR    folder of the settings file
  MEETROOM_DATA_DIR      folder of the embedded workspace
  MEETROOM_NO_INPUT      never prompt

  NO_COLOR, FORCE_COLOR  print no colours, or colours even in a pipe
  CI                     never prompt, unless it is empty, 0 or false
  COLUMNS                width of tables on a terminal
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                         proxies; loopback is never proxied
  NODE_EXTRA_CA_CERTS    file with additional CA certificates

A flag takes precedence over the environment, the environment over the profile.
With both MEETROOM_API_KEY and MEETROOM_BASE_URL set and no profile named, no
settings file is read.`
