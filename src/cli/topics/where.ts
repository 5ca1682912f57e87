export const where = `Conditions: --where

--where chooses items by their fields: in every list, in exports, and in the
commands that take several ids. Repeat it, and all conditions must hold.

  meetroom rooms list --where 'type=private' --where 'name~^test'
  meetroom users export --where 'default_member_type!=guest'
  meetroom sessions list 66f1a2b3c4d5e6f708192a3b --where 'status=online'

A condition is a field, an operator and a value. Quote it: to a shell, < and >
are redirections.

  =  !=        equal, not equal
  <  <=        smaller, smaller or equal; of times: earlier
  >  >=        larger, larger or equal; of times: later
  ~  !~        matches a regular expression anywhere, ignoring case; does not
               match it. Lookaround and backreferences do not exist.

Fields are those of the API document and others that services are known to send.
More are worked out. The last five are asked of the service, room by room, once
all other conditions have chosen the room (--concurrency N at once):

  status       active or terminated (rooms), online or offline (sessions),
               blocked (members)
  age          time since creation, compared with a duration: 30s 15m 1h30m 90d
  online  sessions  members
               numbers of a room: who is in it now, all sessions, all members
  last_active  when somebody was last in a room; now while anybody is, blank
               when nobody ever was
  idle         time since then, or since a room without sessions was created

Times are compared with a day (UTC), with a time, or with a duration, which
stands for the moment so long ago. age>90d means created_at<90d: created before
the moment 90 days ago. idle is compared as age is.

  meetroom rooms list --where 'created_at>=2026-01-01' --where 'age>12h'
  meetroom users list --where 'created_at>2026-01-31T12:00Z'

No value stands for blank, which is null or empty text. A null differs from
every value, and is neither smaller nor larger than any.

  meetroom rooms list --where 'last_active=' --where 'members=0'

A field that an item does not carry is absent, which is not blank. Services may
list items with few fields; then full records are requested and decide. What
they leave open, or what cannot be read, never matches; a notice says how many
those are. When no record carries the field, nothing is changed (exit code 2).

When the service fails to tell about a room, a list leaves it out and ends with
exit code 8, and a command that changes rooms changes nothing.

Look first: a dry run shows each item and the values that chose it.

  meetroom rooms terminate --where 'idle>90d' --where 'status=active' --dry-run

rooms wait takes them, too, and has names for three: terminated, started, empty.

  meetroom rooms wait 66f1a2b3c4d5e6f708192a3b --for 'online<3' --timeout 10m

See also: meetroom help bulk, meetroom help lists`
