export const imports = `Import and export

An import reads a CSV, NDJSON or JSON file with one row for each item. The whole
file is checked first; a dry run also asks the service what exists.

  meetroom users import people.csv --failed-out rejects.csv
  meetroom members import members.csv --room 66f1a2b3c4d5e6f708192a3b

Files     The extension tells the format, or --input-format. Commas, semicolons,
          tabs and UTF-16 with a mark are found out; --delimiter and --encoding
          name others. An empty cell and a null say nothing.
Columns   In any order and case. --map 'Full name=name' reads one as a field,
          --map 'Notes=' ignores one, --ignore-unknown all that are unknown.
Members   Rooms take them in a column members, as ada:host|grace, or in one row
          each with user_id, member_type and member_name and --group-by name.

  meetroom users import staff.csv --encoding windows-1252 --map 'Login=user_id'
  meetroom rooms import courses.csv --match name --if-exists update
  meetroom rooms import course-members.csv --group-by name --if-exists update

White space around IDs, names and emails is removed, and counted. --dry-run warns
of values that differ from those of another row by white space, by the case of an
email or by Unicode normalisation only.

A user is known by user_id, a member by room_id and user_id, a room by its id,
or by its name with --match name. --if-exists says what to do with one that
exists:

  fail       nothing; the row counts as failed (the default)
  skip       nothing; the row counts as done
  update     set what the row says, and leave the rest as it is
  overwrite  the same, but a user loses what the row leaves out

Members who are blocked stay so, unless members import has --unblock.

What the API sets only when a room is created stays; a warning says so.

The journal, FILE.journal, records each row before it is sent and again when it
is answered. After an interruption run the same command with --resume: no row is
sent twice. A journal without failures is removed at the end. --journal FILE
names another one, which stays; --no-journal keeps none.

--shard 2/4 imports the second of four parts of a file that machines share, with
a journal of its own, FILE.2-of-4.journal.

  meetroom users import people.csv --shard 2/4 --dry-run

A finished rooms import keeps its journal as a receipt, in the receipts folder of
the data directory. While the rooms that it lists exist, another import of the
file creates nothing and exits with 2. --again creates them again, --no-receipt
leaves no receipt.

  meetroom rooms import rooms.csv --again --no-receipt

Exit codes: 0 all rows are done, 8 some are, 1 none is, 7 none is for certain;
2 file or flags are wrong and nothing was sent; 130 interrupted. With -o ndjson
there is one result for each row. See also: meetroom help exit-codes

An export writes what an import reads. New rooms get new ids: the results of
their import tell the import of members which room is which.

  meetroom rooms export > old-rooms.csv
  meetroom members export --all-rooms > old-members.csv
  meetroom rooms import old-rooms.csv --profile new -o ndjson > ids.ndjson
  meetroom members import old-members.csv --profile new --room-ids ids.ndjson

What --save wrote before a deletion is imported in the same way.
Each export says on standard error what an import elsewhere does not restore.`
