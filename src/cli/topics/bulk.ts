export const bulk = `Changing many items

Commands that delete, terminate, reopen, block or unblock take several ids, ids
from standard input, one a line, for -, or conditions instead of ids. --user
names members of a room by their user ids.

  meetroom rooms delete 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c --yes
  meetroom users delete - --yes < user-ids.txt
  meetroom rooms terminate --where 'age>90d' --where 'status=active' --dry-run

rooms update changes all rooms that --where chooses. Fields of each room in
braces are filled in, {{ and }} are braces; three changes are shown first.

  meetroom rooms update --where 'type=private' --name '{name} (2025)' --dry-run

-o ids prints what the next command reads:

  meetroom users list --where 'name~^test' --all -o ids > user-ids.txt

Confirmation  What deletes, terminates, blocks or updates many asks first; for
              several items you type their number. --yes confirms in advance,
              for up to 20 items, or for as many as --max N allows. A command
              that would affect more does nothing (exit code 10).
Dry run       --dry-run shows each request instead of sending it and, with
              --where, each item and the values that chose it.
Pace          Eight requests run at once (--concurrency N), and --rate N starts
              at most N per second. When the service is busy (429, 503), all of
              them wait; a pause longer than --timeout ends the run.
Failures      One does not stop the others, unless the key is refused or the
              service does not answer. --fail-fast stops at the first failure,
              --max-errors N after N. --ignore-not-found counts what does not
              exist as done. ^C waits for the requests under way.

  meetroom rooms terminate --where 'name~^test' --yes --max 500 --rate 20
  meetroom users delete - --yes --ignore-not-found --max 500 < user-ids.txt

Undo          --save FILE first writes what is deleted to a new file, for rooms
              import or users import. When it cannot be written, or an import
              could not read it, nothing is deleted. MEETROOM_SAVE_DELETED or
              config set save_deleted names a folder; --no-save overrides it.

  meetroom users delete linus --yes --save linus.ndjson
  meetroom users offboard linus --dry-run

Results go to standard output in the order of the ids, failures and a summary to
standard error. The exit code tells how it went:

   0  all are done
   1  none is: each one was refused
   7  nothing is done for certain, and some requests may have had an effect: no
      answer came, or a gateway gave up. Look before you run it again.
   8  some are done; the errors name those that are not, or may not be
  10  not confirmed; nothing was sent

To carry on after 7 or 8, run the same command again. Conditions choose only
what is left, --ignore-not-found passes over what is gone, and to terminate,
reopen, block or unblock an item twice does no harm.

An import of a file resumes by its journal instead: meetroom help import
See also: meetroom help where`
