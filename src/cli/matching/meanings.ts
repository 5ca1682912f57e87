import { profileName } from '../../config/stored-file.ts'

/** Equivalents of words from other programs. Loaded lazily: loading takes 0.6 ms, 1 % of a short command. */

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
  context: 'profiles',
  contexts: 'profiles',
  webhook: 'webhooks',
  webhooks: 'webhooks',
  config: 'config',
  setting: 'config',
  settings: 'config',
}

const listing = ['list', 'ls', 'find', 'search', 'all', 'query', 'liste', 'auflisten', 'lister']
const showing = ['get', 'show', 'view', 'info', 'describe', 'read', 'inspect', 'display']
const creating = ['create', 'new', 'add', 'make', 'insert', 'register', 'anlegen', 'erstellen', 'ajouter']
const changing = ['update', 'edit', 'change', 'set', 'modify', 'rename', 'retitle', 'patch']
const deleting = ['delete', 'remove', 'rm', 'del', 'destroy', 'drop', 'erase', 'löschen', 'supprimer']
const undoing = ['undo', 'restore', 'recover', 'rollback', 'revert', 'revive', 'resurrect']
const importing = ['import', 'load', 'upload']
const exporting = ['export', 'dump', 'download', 'backup', 'save']

/** Synonyms of commands, by group and command. */
export const verbs: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  rooms: {
    list: listing,
    get: showing,
    create: creating,
    update: changing,
    terminate: ['close', 'end', 'stop', 'finish', 'kill', 'cancel'],
    open: ['browse', 'visit'],
    reopen: ['start', 'restart', 'resume'],
    delete: deleting,
    import: importing,
    export: exporting,
    wait: ['await'],
    link: ['url', 'links', 'share'],
  },
  users: {
    list: listing,
    get: showing,
    create: [...creating, 'invite', 'onboard'],
    update: changing,
    delete: deleting,
    offboard: [],
    'hand-over': ['handover', 'transfer', 'replace'],
    merge: ['combine', 'join', 'unify'],
    duplicates: ['dupes', 'dedupe', 'doubles'],
    import: importing,
    export: exporting,
  },
  members: {
    list: listing,
    get: showing,
    add: [...creating, 'invite'],
    update: [...changing, 'promote', 'demote'],
    block: ['ban', 'kick', 'expel'],
    unblock: ['unban', 'allow', 'readmit'],
    links: ['url', 'link', 'share'],
    import: importing,
    export: exporting,
  },
  sessions: {
    list: [...listing, ...showing],
    watch: ['follow', 'tail', 'live', 'monitor'],
    report: ['attendance'],
  },
  pages: { list: [...listing, ...showing], create: [...creating, ...importing] },
  message: { send: ['post', 'say', 'write', 'broadcast', ...creating] },
  webhooks: {
    listen: ['receive', 'serve', 'start'],
    verify: ['check', 'test', 'validate'],
    deliveries: [...listing, 'log', 'history', 'attempts', 'outbox'],
    redeliver: ['resend', 'replay', 'retry'],
    trigger: ['send', 'fire', 'emit', 'simulate'],
  },
  auth: {
    login: ['signin', 'sign-in', 'add', 'set'],
    logout: ['signout', 'sign-out', 'logoff', 'remove', 'delete', 'forget'],
    status: ['whoami', 'show', 'check', 'info', 'list', 'test'],
  },
  profiles: {
    list: [...listing, ...showing],
    use: ['switch', 'select', 'set', 'activate', 'use-context', 'set-context'],
    protect: ['lock'],
    unprotect: ['unlock'],
  },
  workspace: {
    export: exporting,
    diff: ['compare', 'plan', 'preview'],
    apply: ['sync', 'push', 'restore', ...importing],
    adopt: ['claim', 'take'],
  },
  local: {
    backup: exporting,
    restore: [],
    reset: ['clear', 'empty', 'wipe'],
    seed: ['fill', 'populate'],
    clock: ['time'],
    fail: ['fault', 'break'],
    tidy: ['clean', 'cleanup', 'prune'],
  },
  audit: { list: [...listing, ...showing, 'log', 'history', 'changes', 'tail'] },
  config: {
    list: [...listing, 'show', 'view'],
    get: ['read'],
    set: ['change', 'update', 'add'],
    unset: [...deleting, 'reset', 'clear'],
  },
}

const { status, login, logout } = {
  status: 'auth status',
  login: 'auth login',
  logout: 'auth logout',
}

/** Command that blocks a user without deleting the user, so that the block is reversible. */
const blockEverywhere = 'members block --all-rooms --user'

/** Suggested commands by unknown word or pair of words. */
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
  link: 'rooms link',
  links: 'members links',
  open: 'rooms open',
  browse: 'rooms open',
  block: 'members block',
  ban: 'members block',
  kick: 'members block',
  unblock: 'members unblock',
  terminate: 'rooms terminate',
  close: 'rooms terminate',
  reopen: 'rooms reopen',
  wait: 'rooms wait',
  offboard: 'users offboard',
  merge: 'users merge',
  watch: 'sessions watch',
  who: 'sessions list --all-rooms --online',
  ps: 'sessions list --all-rooms --online',
  online: 'sessions list --all-rooms --online',
  history: 'audit list',
  log: 'audit list',
  logs: 'audit list',
  changes: 'audit list',
  duplicates: 'users duplicates',
  report: 'sessions report',
  attendance: 'sessions report',
  'report attendance': 'sessions report',
  apply: 'workspace apply',
  diff: 'workspace diff',
  plan: 'workspace diff',
  configure: login,
  stats: 'usage',
  statistics: 'usage',
  billing: 'usage',
  listen: 'webhooks listen',
  use: 'profiles use',
  switch: 'profiles use',
  settings: 'config list',
  server: 'serve',
  'server list': 'profiles list',
  'server ls': 'profiles list',
  start: 'serve',
  swagger: 'openapi',
  request: 'api',
  man: 'help',
  trigger: 'webhooks trigger',
  'profiles delete': 'profiles remove',
  'sessions kick': 'members block',
  'sessions block': 'members block',
  'rooms count': 'rooms list --count',
  'users count': 'users list --count',
  'members count': 'members list --count',
  'sessions count': 'sessions list --count',
  'local start': 'serve',
  'local run': 'serve',
  'local serve': 'serve',
  'rooms members': 'members list',
  'rooms sessions': 'sessions list',
  'rooms who': 'sessions list',
  'rooms pages': 'pages list',
  'rooms join': 'join',
  'rooms invite': 'members add',
  'rooms block': 'members block',
  'rooms message': 'message send',
  'rooms send': 'message send',
  'rooms watch': 'sessions watch',
  'rooms report': 'sessions report',
  'users whoami': status,
  'users me': status,
  'users members': 'users rooms',
  'users link': 'rooms link --as',
  'users block': blockEverywhere,
  'users ban': blockEverywhere,
  'users kick': blockEverywhere,
  'users suspend': blockEverywhere,
  'users disable': blockEverywhere,
  'users deactivate': blockEverywhere,
  'users revoke': blockEverywhere,
  'users sessions': 'sessions report --all-rooms',
  'members join': 'join',
  'sessions join': 'join',
  'profiles create': login,
  'profiles add': login,
  'profiles login': login,
  'profiles current': status,
  'config login': login,
  'config edit': 'config path',
  'config use-context': 'profiles use',
  'config get-contexts': 'profiles list',
  'config current-context': status,
  'auth use': 'profiles use',
  'auth switch': 'profiles use',
}

/** All words of `verbs` and `elsewhere`. */
export const meanings: ReadonlySet<string> = new Set([
  ...Object.values(verbs).flatMap((commands) => Object.entries(commands).flat(2)),
  ...Object.keys(elsewhere).flatMap((words) => words.split(' ')),
])

/** Returns true for a word such as `restore` or `undelete`. */
export function isUndo(word: string): boolean {
  const lower = word.toLowerCase().replaceAll('-', '')
  return undoing.includes(lower) || (lower.startsWith('un') && deleting.includes(lower.slice(2)))
}

interface ImpliedFlag {
  flag: string
  /** Value of the flag if no operand sets the value. */
  value?: string
}

export const implied: Readonly<Record<string, ImpliedFlag>> = {
  rename: { flag: '--name' },
  retitle: { flag: '--name' },
  promote: { flag: '--role', value: 'host' },
  demote: { flag: '--role', value: 'guest' },
}

/** Equivalents of flags that a command does not accept, most probable first. */
export const flags: Readonly<Record<string, readonly string[]>> = {
  '--role': ['--default-member-type'],
  '--type': ['--default-member-type'],
  '--visibility': ['--type'],
  '--access': ['--type'],
  '--all': ['--all-rooms'],
  '--active': ['--online'],
  '--member-type': ['--role', '--default-member-type'],
  '--format': ['--output'],
  '--filter': ['--where'],
  '--condition': ['--where'],
  '--sort-by': ['--sort'],
  '--order': ['--sort'],
  '--order-by': ['--sort'],
  '--per-page': ['--limit', '--page-size'],
  '--batch-size': ['--page-size'],
  '--max-items': ['--limit'],
  '--first': ['--limit'],
  '--token': ['--show-tokens'],
  '--tokens': ['--show-tokens'],
  '--top': ['--limit'],
  '--head': ['--limit'],
  '--tail': ['--limit'],
  '--skip': ['--offset'],
  '--force': ['--yes'],
  '--confirm': ['--yes'],
  '--assume-yes': ['--yes'],
  '--auto-approve': ['--yes'],
  '--approve': ['--yes'],
  '--host': ['--base-url'],
  '--src': ['--image'],
  '--url': ['--image', '--webhook-url', '--to'],
  '-rf': ['--yes'],
  '-fr': ['--yes'],
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
  ...{
    '-n': ['--limit', '--name', '--dry-run'],
    '-m': ['--text'],
    '-p': ['--port', '--profile'],
    '-d': ['--data', '--data-dir'],
    '-t': ['--type', '--role'],
  },
  ...{ '-u': ['--as', '--user'], '-L': ['--limit'], '-f': ['--data', '--where'] },
  '--filename': ['--data'],
  '--file': ['--data'],
  '--data': ['--data-dir'],
  '--from-file': ['--data'],
  '--body': ['--data'],
  '--message': ['--text'],
  '--separator': ['--delimiter'],
  '--sep': ['--delimiter'],
  '--last': ['--since', '--from', '--limit'],
  '--count-only': ['--count'],
  '--user': ['--as'],
  '--for': ['--as', '--user'],
  '--jq': ['--query'],
  '--jsonpath': ['--query'],
  '--jmespath': ['--query'],
  '--timezone': ['--time-zone'],
  '--tz': ['--time-zone'],
  '--from': ['--since'],
  '--since': ['--from'],
  '--to': ['--until'],
  '--until': ['--to', '--for'],
  '--period': ['--month'],
  '--month': ['--period'],
  '--selector': ['--where'],
  '--filter-by': ['--where'],
  '--no-headers': ['--no-header'],
  '--block': ['--blocked'],
  '-F': ['--field'],
  '--parallel': ['--concurrency'],
  '--workers': ['--concurrency'],
}

interface ArgumentFlag {
  flag: string
  /** Text before the argument in the value of the flag. */
  before?: string
  reason: string
  pattern: RegExp
}

const ofProfile = { flag: '--profile', reason: 'select a profile with: ', pattern: profileName }

/** Flags for the arguments that users type after a command without arguments, by command. */
export const flagsOfArguments: Readonly<Record<string, ArgumentFlag>> = {
  'rooms create': { flag: '--name', reason: 'pass the name with: ', pattern: /./ },
  'rooms list': { flag: '--where', before: 'name~', reason: 'find rooms by name with: ', pattern: /./ },
  'users list': { flag: '--search', reason: 'search for a user with: ', pattern: /./ },
  'auth status': ofProfile,
  'auth logout': ofProfile,
  'config list': ofProfile,
  doctor: ofProfile,
  'webhooks listen': { flag: '--port', reason: 'pass the port with: ', pattern: /^\d{2,5}$/ },
  serve: { flag: '--port', reason: 'pass the port with: ', pattern: /^\d{2,5}$/ },
  usage: { flag: '--month', reason: 'pass the month with: ', pattern: /^(\d{4}-\d\d|(this|last)-month)$/ },
}

export const searching: ReadonlySet<string> = new Set([
  '--search',
  '--find',
  '--contains',
  '--grep',
  '--match',
])

export type FieldByKind = Readonly<Record<string, string>>

const fieldsByWords: readonly (readonly [words: string, fields: FieldByKind])[] = [
  [
    'room roomname roomid raum raumname class klasse course kurs group gruppe meeting title titel salle classe',
    { room: 'name', member: 'room_id' },
  ],
  [
    'id user login username userid person pupil pupilid student studentid benutzer benutzerid kennung kurzel kuerzel schuler schueler schulerid',
    { room: 'user_id', user: 'user_id', member: 'user_id' },
  ],
  ['role rolle usertype membertype', { room: 'member_type', user: 'default_member_type', member: 'type' }],
  ['mail emailaddress mailaddress emailadresse mailadresse', { user: 'email' }],
  [
    'fullname displayname vollername vornamenachname namevorname',
    { room: 'member_name', user: 'name', member: 'name' },
  ],
  ['typ art kategorie', { room: 'type' }],
  ['mitglieder teilnehmer', { room: 'members' }],
  ['avatar picture photo foto bild image', { user: 'profile_url' }],
]

/** Fields by normalized column name and kind of item. */
export const columnWords: Readonly<Record<string, FieldByKind>> = Object.fromEntries(
  fieldsByWords.flatMap(([words, fields]) => words.split(' ').map((word) => [word, fields])),
)

/** Normalized names of columns with given names. */
export const givenNames: ReadonlySet<string> = new Set([
  'firstname',
  'givenname',
  'first',
  'vorname',
  'prenom',
])
export const lastNames: ReadonlySet<string> = new Set([
  ...['lastname', 'surname', 'familyname', 'last', 'nachname', 'familienname', 'nom'],
])

/** Synonyms of each field, separated by spaces. The first field of a list with the synonym is meant. */
export const fieldWords: Readonly<Record<string, string>> = {
  type: 'role member_type',
  default_member_type: 'role member_type',
  whose: 'user target',
  user_id: 'user person',
  room_id: 'room',
  name: 'title',
  email: 'mail e_mail',
  status: 'state',
  is_blocked: 'blocked',
  time: 'date',
  created_at: 'created creation creation_date date',
  updated_at: 'updated',
  meeting_time: 'duration',
  elapsed_time: 'duration minutes',
  what: 'action',
  who: 'operator actor by',
  outcome: 'result',
}

/** Synonyms of each value, in lower case, separated by spaces. The first of the choices with the synonym is meant. */
export const valueWords: Readonly<Record<string, string>> = {
  host: 'admin administrator owner cohost co-host moderator teacher lehrer lehrerin professeur',
  monitor: 'observer viewer watcher beobachter beobachterin observateur',
  guest: 'gast member participant student pupil schüler schülerin schueler schuelerin élève eleve',
  user: 'student pupils students person people participants',
  private: 'closed geschlossen privat',
  terminated: 'closed beendet terminiert geschlossen ended finished done over',
  active: 'aktiv open running',
  open: 'offen',
  public: 'öffentlich',
  online: 'connected',
  offline: 'disconnected left',
  blocked: 'banned',
  bash: 'sh',
  powershell: 'pwsh',
  given_up: 'failed dropped',
  ndjson: 'jsonl',
  table: 'text wide human pretty plain',
  ids: 'name names',
  json: 'yaml yml',
  csv: 'xlsx excel',
  'windows-1252': 'latin1 latin-1 iso-8859-1 ansi cp1252',
  'utf-16le': 'utf16',
  update: 'merge',
  overwrite: 'replace',
}

export function lookUp<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}
