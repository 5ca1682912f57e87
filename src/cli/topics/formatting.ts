export const formatting = `Formatting

  -o table    for people, the default: aligned, blank for null; columns that the
              terminal is too narrow for are left out, and named
  -o json     the body that the service sent: byte for byte in a pipe, indented
              on a terminal; with --all one document with every item
  -o ndjson   one item a line, as the items arrive
  -o csv      RFC 4180: the fields that the API lists, then the others of the
              first page by name; cells that a spreadsheet would run as a
              formula are made harmless
  -o tsv      the same fields with tabs between them, for shells: no quotes; in
              a cell \\t, \\n, \\r and \\\\ stand for a tab, a line feed, a
              carriage return and a backslash, as printf %b reads them;
              cells are raw, for cut and awk: open a CSV in a spreadsheet, which
              would run a TSV cell that begins with = as a formula
  -o ids      one id a line, for xargs and for the commands that take - for ids

  --columns a,b   fields of a table, CSV or TSV, in that order
  --no-header     no header
  --show-tokens   show access tokens, which tables, CSV, TSV and exports leave
                  out and JSON masks on a terminal

--query prints what a JMESPath expression (https://jmespath.org) selects of the
document that --json prints: as JSON, or with -o tsv as lines. There each value
of a list has a line, lists and objects in a list are rows without a header, and
text alone is printed as it is. With --all the document has every item.

  meetroom rooms list --all --query "rooms[?type=='open'].name" -o tsv
  meetroom rooms list --query 'rooms[].[id,name]' -o tsv
  meetroom users get ada --query user.access_token -o tsv

An expression that is not valid is found before anything is sent.

The format never changes because the output is a pipe; only colours, relative
times and truncation do. Control characters, bidi overrides and zero-width
characters of the service’s text are shown as escapes, but for joiners where
they belong.`
