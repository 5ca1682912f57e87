/*
 * Synonyms of fields and values. Equivalents of words from other programs are in `mistakes/meanings.ts`, which
 * is loaded only after a mistake.
 */

/** Words between operands in a sentence, as in `add ada to Maths`. */
export const linkWords: ReadonlySet<string> = new Set(['to', 'into', 'in', 'from', 'of', 'as', '=', '->'])

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
  monitor: 'observer viewer watcher',
  guest: 'gast member participant student pupil schüler schülerin schueler élève eleve',
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
