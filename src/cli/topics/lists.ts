export const lists = `Lists: --sort, --count and --count-by

A list shows what the service sends for one request. --all lists everything,
--limit and --offset choose, --where filters.

  meetroom rooms list --all
  meetroom users list --limit 10 --offset 20

--sort names the fields to sort by. A hyphen before one means descending, a dot
leads into an object, as in metadata.owner.

  meetroom rooms list --sort type,-name
  meetroom users list --where 'age<30d' --sort -created_at --limit 10

Numbers are compared as numbers, times as times, and text letter by letter in
the order of Unicode’s root collation, which is the same on every machine. What
is null or absent comes last, either way, and what is equal stays in the order
of the service. The whole list is read first: --limit and --offset choose from
what was sorted.

--count prints how many items there are, and --count-by how many there are of
each value of a field, with bars on a terminal. --count takes the service’s word
for it where it gives one and there is no --where; otherwise both read the whole
list.

  meetroom rooms list --active --count
  meetroom rooms list --count-by type
  meetroom sessions list 66f1a2b3c4d5e6f708192a3b --count-by user_id -o csv

A field that an item of the list does not carry is looked up in its full record,
one request each, and a notice says so. Rows of items that do not have it either
have no such field; a field that no item has is an error.

See also: meetroom help where, meetroom help formatting`
