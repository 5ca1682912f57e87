/*
 * Words that people try because other programs use them, and what they are called here. Loaded only to explain a command
 * line that cannot be run.
 */

/** The group that a noun names. */
export const nouns: Readonly<Record<string, string>> = {
  room: 'rooms',
  rooms: 'rooms',
  meeting: 'rooms',
  meetings: 'rooms',
  user: 'users',
  users: 'users',
  person: 'users',
  people: 'users',
  member: 'members',
  members: 'members',
  participant: 'members',
  participants: 'members',
  session: 'sessions',
  sessions: 'sessions',
  connections: 'sessions',
  page: 'pages',
  pages: 'pages',
  message: 'message',
  messages: 'message',
  profile: 'profiles',
  profiles: 'profiles',
  webhook: 'webhooks',
  webhooks: 'webhooks',
  config: 'config',
  setting: 'config',
  settings: 'config',
}

const listing = ['list', 'ls', 'find', 'search', 'all', 'query']
const showing = ['get', 'show', 'view', 'info', 'describe', 'read', 'inspect', 'display']
const creating = ['create', 'new', 'add', 'make', 'insert', 'register']
const changing = ['update', 'edit', 'change', 'set', 'modify', 'rename', 'patch']
const deleting = ['delete', 'remove', 'rm', 'del', 'destroy', 'drop', 'erase']
const importing = ['import', 'load', 'upload']
const exporting = ['export', 'dump', 'download', 'backup', 'save']

/** For each group, its commands with the other words for each. */
export const verbs: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  rooms: {
    list: listing,
    get: showing,
    create: creating,
    update: changing,
    terminate: ['close', 'end', 'stop', 'finish', 'kill', 'cancel'],
    reopen: ['open', 'start', 'restart', 'resume', 'restore'],
    delete: deleting,
    import: importing,
    export: exporting,
    wait: ['await'],
  },
  users: {
    list: listing,
    get: showing,
    create: [...creating, 'invite'],
    update: changing,
    delete: deleting,
    offboard: ['leave', 'revoke', 'deactivate', 'disable'],
    import: importing,
    export: exporting,
  },
  members: {
    list: listing,
    get: showing,
    add: [...creating, 'invite'],
    update: [...changing, 'promote'],
    block: ['ban', 'kick', 'expel'],
    unblock: ['unban', 'allow', 'readmit'],
    import: importing,
    export: exporting,
  },
  sessions: {
    list: [...listing, ...showing],
    watch: ['follow', 'tail', 'live', 'monitor'],
    report: ['attendance', ...exporting],
  },
  pages: { create: [...creating, ...importing] },
  message: { send: ['post', 'say', 'write', 'broadcast', ...creating] },
  webhooks: { listen: ['receive', 'serve', 'start'], verify: ['check', 'test', 'validate'] },
  auth: {
    login: ['signin', 'sign-in', 'token', 'key', 'add', 'set'],
    logout: ['signout', 'sign-out', 'remove', 'delete', 'forget'],
    status: ['whoami', 'show', 'check', 'info', 'list', 'test'],
  },
  profiles: {
    list: [...listing, ...showing],
    use: ['switch', 'select', 'set', 'activate'],
    protect: ['lock'],
    unprotect: ['unlock'],
  },
  config: {
    list: [...listing, 'show', 'view'],
    get: ['read'],
    set: ['change', 'update', 'edit', 'add'],
    unset: deleting,
  },
}

const { status, login, logout } = {
  status: 'auth status',
  login: 'auth login',
  logout: 'auth logout',
}

/** Command lines that belong to another group, or to none. */
export const elsewhere: Readonly<Record<string, string>> = {
  login,
  signin: login,
  logout,
  signout: logout,
  whoami: status,
  me: status,
  status,
  ping: 'doctor',
  health: 'doctor',
  check: 'doctor',
  diagnose: 'doctor',
  send: 'message send',
  say: 'message send',
  invite: 'members add',
  block: 'members block',
  ban: 'members block',
  kick: 'members block',
  unblock: 'members unblock',
  terminate: 'rooms terminate',
  close: 'rooms terminate',
  reopen: 'rooms reopen',
  wait: 'rooms wait',
  offboard: 'users offboard',
  watch: 'sessions watch',
  report: 'sessions report',
  attendance: 'sessions report',
  listen: 'webhooks listen',
  use: 'profiles use',
  switch: 'profiles use',
  settings: 'config list',
  server: 'serve',
  start: 'serve',
  swagger: 'openapi',
  request: 'api',
  curl: 'api',
  man: 'help',
  'rooms members': 'members list',
  'rooms sessions': 'sessions list',
  'rooms pages': 'pages create',
  'rooms join': 'join',
  'rooms invite': 'members add',
  'rooms block': 'members block',
  'rooms message': 'message send',
  'rooms send': 'message send',
  'rooms watch': 'sessions watch',
  'rooms report': 'sessions report',
  'users members': 'users rooms',
  'users block': 'members block --all-rooms --user',
  'users sessions': 'sessions report --all-rooms',
  'members join': 'join',
  'sessions join': 'join',
  'profiles create': login,
  'profiles add': login,
  'profiles login': login,
  'config login': login,
  'auth use': 'profiles use',
  'auth switch': 'profiles use',
}

/** Flags of other programs, and those that do the same here; the first that the command has is meant. */
export const flags: Readonly<Record<string, readonly string[]>> = {
  '--role': ['--type', '--default-member-type'],
  '--type': ['--default-member-type'],
  '--member-type': ['--type', '--default-member-type'],
  '--format': ['--output'],
  '--filter': ['--where'],
  '--condition': ['--where'],
  '--sort-by': ['--sort'],
  '--order': ['--sort'],
  '--order-by': ['--sort'],
  '--per-page': ['--page-size'],
  '--batch-size': ['--page-size'],
  '--max-items': ['--limit'],
  '--first': ['--limit'],
  '--top': ['--limit'],
  '--skip': ['--offset'],
  '--force': ['--yes'],
  '--confirm': ['--yes'],
  '--assume-yes': ['--yes'],
  '--host': ['--base-url'],
  '--url': ['--base-url'],
  '--server': ['--base-url'],
  '--endpoint': ['--base-url'],
  '--context': ['--profile'],
  '--env': ['--profile'],
  '--fields': ['--columns'],
  '--select': ['--columns'],
  '--title': ['--name'],
  '--display-name': ['--name'],
  '--debug': ['--verbose'],
  '--silent': ['--quiet'],
  '--members': ['--member'],
  '--users': ['--member', '--user'],
  '--duration': ['--max-meeting-seconds'],
  '--max-duration': ['--max-meeting-seconds'],
  '--avatar': ['--profile-url'],
  '--picture': ['--profile-url'],
  '--mail': ['--email'],
  '--e-mail': ['--email'],
  '--on-conflict': ['--if-exists'],
  '--skip-existing': ['--if-not-exists'],
  '--parallel': ['--concurrency'],
  '--workers': ['--concurrency'],
}

/** Flags that look for a part of a name. */
export const searching: ReadonlySet<string> = new Set([
  '--search',
  '--find',
  '--contains',
  '--grep',
  '--match',
])

/** Values that people try for those with few choices. */
export const values: Readonly<Record<string, string>> = {
  admin: 'host',
  administrator: 'host',
  owner: 'host',
  moderator: 'host',
  teacher: 'host',
  observer: 'monitor',
  viewer: 'monitor',
  watcher: 'monitor',
  member: 'guest',
  participant: 'guest',
  student: 'guest',
  closed: 'private',
  jsonl: 'ndjson',
  text: 'table',
  plain: 'table',
  excel: 'csv',
  merge: 'update',
  replace: 'overwrite',
}

/** What a table says of a word that was typed, which may be the name of anything. */
export function lookUp<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}
