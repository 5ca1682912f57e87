import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { browser, domOf } from '../../helpers/browser.ts'
import { perTest } from '../../helpers/per-test.ts'
import { member, school, session } from '../../helpers/school.ts'
import { term } from '../../helpers/term.ts'
import { harmIn } from '../../helpers/terminal.ts'
import { createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

const file = () => join(world.dir, 'page.html')
const page = () => readFileSync(file(), 'utf8')
const report = (line: string) => world.run(`sessions report ${line} --html page.html`)

/** Names that a page must show as text. */
const hostile = [
  '<script>document.title = "owned"</script>',
  '"><img src=x onerror="document.title=\'owned\'">',
  "' onmouseover='document.title=1' x='",
  '</title></style></table><h1>owned</h1>',
  '<!--',
  ']]>',
  '&lt;b&gt;&amp;&#60;i&#62;',
  '</svg><svg onload="document.title=1">',
  '{{constructor.constructor("alert(1)")()}} #{1+1} javascript:alert(1)',
  '\u202eevil\u2066\u0000\u001b]0;owned\u0007\u2028',
  'Zoë Ångström 李小龍 عائشة 👩‍🚀',
]

function hostileLessons(): void {
  const lessons = hostile.map((name, i) => [
    `room ${i}`,
    {
      room: { name },
      sessions: [session(name, '08:00', '08:30', { id: name, member_id: `m${i}`, name })],
      members: [member(name, { id: `m${i}`, name }), member(`absent ${name}`, { name })],
    },
  ])
  school(world, Object.fromEntries(lessons))
}

const maths = {
  room: { name: 'Mathematics 7b' },
  sessions: [
    session('ada', '08:00', '08:20'),
    session('ada', '08:25', '09:00'),
    session('grace', '08:15', '08:30'),
  ],
  members: [member('ada'), member('grace'), member('alan')],
}

describe('the HTML page of a report', () => {
  test('sessions report --html creates a file with mode 600', async () => {
    school(world, { maths })
    const { code, stdout, stderr } = await report('maths -o csv')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'wrote page.html\n' })
    expect(stdout.split('\r\n')).toHaveLength(4)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(world.requests.map(({ url }) => url.slice(20))).toEqual([
      '/rooms/maths/sessions?limit=1000',
      '/rooms/maths/members?limit=1000',
      '/rooms/maths',
    ])
  })

  test('sessions report --html writes a page with a content security policy and no scripts', async () => {
    school(world, { maths })
    await report('maths --absent')
    const text = page()
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(text).toContain(`content="default-src 'none'; style-src 'sha256-`)
    expect(text).not.toMatch(
      /<script|<link|<img|<iframe|<object|\bon\w+=|\bstyle="|\b(src|href|action)=|url\(|@import|https?:/,
    )
    expect(text).toContain('<title>Attendance in Mathematics 7b</title>')
    expect(text).toContain('<caption>Participants of Mathematics 7b, with times</caption>')
    expect(text).toMatch(
      /<footer><p>.* The share is .* A timeline of several days shows only that time\.<\/p>/,
    )
    expect(text).toContain('@media print')
    expect(text).toContain('prefers-color-scheme: dark')
  })

  test('sessions report --by room --html omits participants below --min-minutes', async () => {
    school(world, { maths })
    await report('maths --by room -o ndjson --min-minutes 20')
    expect(page()).toContain('<bdi>ADA</bdi>')
    expect(page()).not.toContain('<bdi>GRACE</bdi>')
  })

  test('sessions report --absent --html lists absent members before participants', async () => {
    school(world, { maths, art: { ...maths, room: { name: 'Art' } }, empty: {} })
    for (const [flags, ids] of [
      ['--absent', ['room-1', 'room-2']],
      ['--by meeting --absent', ['meeting-1-1', 'meeting-2-1']],
    ] as const) {
      await report(`--all-rooms ${flags}`)
      const text = page()
      expect([...text.matchAll(/<a href="#(.*?)">/g)].map(([, id]) => id)).toEqual(ids)
      for (const id of ids) expect(text).toContain(`<h2 id="${id}">`)
      expect(text.match(/<bdi>(ADA|ALAN|GRACE)(?=<)/g)?.slice(0, 3)).toEqual([
        ...['<bdi>ALAN', '<bdi>ADA', '<bdi>GRACE'],
      ])
    }
  })

  test('sessions report --only-absent --html omits present participants and rooms without absences', async () => {
    const full = { ...maths, room: { name: 'Full' }, members: [member('ada'), member('grace')] }
    school(world, { maths, full, art: { ...maths, room: { name: 'Art' } } })
    for (const [flags, ids] of [
      ['--by user', ['room-1', 'room-3']],
      ['--by meeting', ['meeting-1-1', 'meeting-3-1']],
      ['--by meeting --min-minutes 20', ['meeting-1-1', 'meeting-2-1', 'meeting-3-1']],
    ] as const) {
      await report(`--all-rooms --only-absent ${flags}`)
      const text = page()
      expect([...text.matchAll(/<a href="#(.*?)">/g)].map(([, id]) => id)).toEqual(ids)
      expect([...text.matchAll(/<h2 id="((?:room|meeting)-.*?)">/g)].map(([, id]) => id)).toEqual(ids)
      expect(text).toContain('<h1>Absences in 3 rooms</h1>')
      expect(text).toMatch(/, [12] participants?\./)
      expect(text).toContain('<bdi>ALAN')
      expect(text).not.toMatch(/<bdi>ADA|class="chart/)
      expect(text.includes('<bdi>GRACE')).toBe(flags.includes('min'))
    }
  })

  test('sessions report --html marks the page as incomplete if a room cannot be read', async () => {
    school(world, { maths })
    const { code } = await report('maths nowhere -o ndjson')
    expect(code).toBe(8)
    expect(page()).toContain('Room nowhere could not be read: no such room: nowhere')
    expect(page()).toMatch(/Incomplete[\s\S]*<\/html>\n$/)
  })

  test('sessions report --html writes the heading “Attendance in 0 rooms” if no room matches', async () => {
    school(world, { maths })
    expect(await report('--where type=private')).toMatchObject({ code: 0 })
    expect(page()).toContain('<h1>Attendance in 0 rooms</h1>')
  })

  test('sessions report --html writes a complete page after EPIPE on stdout', async () => {
    school(world, { maths, again: maths })
    const { host, done } = world.start([
      'sessions',
      'report',
      '--all-rooms',
      '-o',
      'ndjson',
      '--html',
      'page.html',
    ])
    host.stdout.failure = Object.assign(new Error(), { code: 'EPIPE' })
    expect(await done).toMatchObject({ code: 0 })
    expect(page().match(/<section aria-labelledby="room-/g)).toHaveLength(2)
    expect(page()).not.toContain('Incomplete')
  })

  test('sessions report --html overwrites an existing file but refuses a link or directory', async () => {
    school(world, { maths })
    writeFileSync(file(), 'old and longer than nothing')
    expect((await report('maths')).code).toBe(0)
    expect(page()).not.toContain('old and longer')
    const run = (name: string) => world.run(['sessions', 'report', 'maths', '--html', name])
    symlinkSync('elsewhere.html', join(world.dir, 'link.html'))
    mkdirSync(join(world.dir, 'folder'))
    world.requests.length = 0
    expect(await run('link.html')).toMatchObject({ code: 2 })
    expect(await run('folder')).toMatchObject({ code: 74 })
    expect(await run('nowhere/page.html')).toMatchObject({ code: 74 })
    expect(world.requests).toEqual([])
  })

  test('sessions report --html escapes markup and invisible characters in names', async () => {
    hostileLessons()
    expect((await report('--all-rooms --absent')).code).toBe(0)
    const text = page()
    const tags = [...text.matchAll(/<\/?([a-z!][a-z0-9-]*)/gi)].map(([, name]) => name?.toLowerCase())
    const ours = [
      'small',
      ...['!doctype', 'html', 'head', 'meta', 'title', 'style', 'body', 'header', 'h1', 'p', 'main'],
      ...['section', 'h2', 'bdi', 'div', 'table', 'caption', 'thead', 'tbody', 'tr', 'th', 'td', 'span'],
      ...['time', 'svg', 'rect', 'details', 'summary', 'footer', 'a'],
    ]
    expect([...new Set(tags)].filter((tag) => !ours.includes(tag ?? ''))).toEqual([])
    expect(harmIn(text)).toBeUndefined()
  })

  test('sessions report --html masks the API key in room and user names', async () => {
    school(world, {
      r: {
        room: { name: `key ${world.apiKey}` },
        sessions: [session('ada', '08:00', '09:00', { name: world.apiKey })],
      },
    })
    await report('r')
    expect(page()).toContain('<h2 id="room-1"><bdi>key [API key]</bdi></h2>')
    expect(page()).toContain('<th scope="row"><bdi>[API key]</bdi><small>ada</small></th>')
    expect(page()).not.toContain(world.apiKey)
  })
})

describe('the HTML page of several rooms', () => {
  const dayOf = (day: number) => `2026-01-${String(day).padStart(2, '0')}`
  const weekly = [1, 8, 15].map((day) =>
    session('ada', '08:00', '08:45', {
      ...{ id: `s${day}`, connected_at: `${dayOf(day)}T08:00:00Z` },
      ...{ disconnected_at: `${dayOf(day)}T08:45:00Z` },
    }),
  )

  test('the title of sessions report --html counts the rooms with sessions, or names the only one', async () => {
    school(world, { maths, art: { ...maths, room: { name: 'Art' } }, empty: {}, unused: {} })
    await report('--all-rooms -o ndjson')
    expect(page()).toContain('<title>Attendance in 2 rooms</title>')
    expect(page()).toContain('<p>Nobody was in 2 other rooms.</p>')
    const [table = ''] = /<section aria-labelledby="rooms">[\s\S]*?<\/section>/.exec(page()) ?? []
    expect(table.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).toContain(
      'Room Participants First in Last out Room minutes 0 minutes 70.0 minutes Mathematics 7b 2 2026-01-01 08:00',
    )
    school(world, { maths, empty: {} })
    await report('--all-rooms -o ndjson')
    expect(page()).toContain('<title>Attendance in Mathematics 7b</title>')
    expect(page()).toContain('<p>Nobody was in 1 other room.</p>')
  })

  test('sessions report --html draws weekly meetings side by side without the time between them', async () => {
    school(world, { maths: { sessions: weekly, members: [member('ada')] } })
    await report('maths -o ndjson')
    expect(page()).toContain(
      '<span class="axis"><span>2026-01-01</span><span>2026-01-08</span><span>2026-01-15</span></span>',
    )
    expect(
      [...page().matchAll(/class="there" x="([\d.]+)" y="3" width="([\d.]+)"/g)].map(([, ...at]) => at),
    ).toEqual([
      ['0', '328'],
      ['336', '328'],
      ['672', '328'],
    ])
  })

  test('sessions report --html shows the user name from a later session if the first has none', async () => {
    const [first, ...others] = weekly
    school(world, {
      maths: { sessions: [{ ...first, name: null }, ...others.map((one) => ({ ...one, name: 'Ada' }))] },
    })
    await report('maths -o ndjson')
    expect(page()).toContain('<th scope="row"><bdi>Ada</bdi>')
  })

  test('sessions report --html limits the page for 1,000 rooms to 2 MB', async () => {
    const people = Array.from({ length: 4 }, (_, i) =>
      session(`user ${i}`, '08:00', '08:45', { name: `Person ${i}` }),
    )
    const rooms = Array.from({ length: 1000 }, (_, i) => [
      `r${i}`,
      { room: { name: `Room ${i}` }, sessions: people },
    ])
    school(world, Object.fromEntries(rooms))
    await report('--all-rooms -o ids')
    expect(statSync(file()).size).toBeLessThan(2_000_000)
    expect(page()).toContain('<title>Attendance in 1000 rooms</title>')
    expect(page()).toMatch(
      /so it omits the details of [3-6]\d\d rooms\. A report on fewer rooms shows all details\./,
    )
    expect(page()).toContain('<bdi>Room 999</bdi>')
  })
})

describe('the HTML page of totals', () => {
  const totals = async (line: string) => {
    term(world)
    const { code } = await report(`--all-rooms -o ndjson --time-zone Europe/Berlin ${line}`)
    expect(code).toBe(0)
    return page()
  }
  const rowsOf = (html: string) =>
    [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, '')),
    )
  const section = (html: string, id: string) =>
    new RegExp(`<section[^>]*aria-labelledby="${id}">[^]*?</section>`).exec(html)?.[0] ?? ''

  test('sessions report --html shows minutes per day and busiest hours as charts and tables', async () => {
    for (const by of ['user-total', 'meeting', 'month', 'user', 'day,meeting']) {
      const text = await totals(`--by ${by}`)
      const days = rowsOf(section(text, 'minutes-per-day'))
      expect([days.length, days[0], days[1], days.at(-1)]).toEqual([
        9,
        ['2025-10-24', '180.0'],
        ['2025-10-25', '30.0'],
        ['2025-11-01', '10.0'],
      ])
      expect(section(text, 'minutes-per-day').match(/<rect class="bar"/g)).toHaveLength(9)
      const hours = rowsOf(section(text, 'busiest-hours'))
      expect(hours.filter(([, minutes]) => minutes !== '0.0')).toEqual([
        ['00:00', '70.0'],
        ['01:00', '60.0'],
        ['02:00', '30.0'],
        ['10:00', '135.0'],
        ['12:00', '45.0'],
        ['23:00', '40.0'],
      ])
      expect(text).toContain('Most: 10:00, 135.0 minutes.')
    }
  })

  test('sessions report --by user-total --html draws timelines for one day but not for a month', async () => {
    const month = section(await totals('--by user-total --period 2025-10'), 'totals')
    expect(rowsOf(month).slice(1)).toMatchObject([
      ['ADAada', '2', '3', '4', '2025-10-24 10:00', '2025-10-26 02:30', '290.0', '275.0', ''],
      ['GRACEgrace', '2', '1', '2', '2025-10-24 10:05', '2025-10-24 11:00', '70.0', '55.0', ''],
      ['m-null', '1', '1', '1', '2025-10-31 23:50', '2025-11-01 00:00', '10.0', '10.0', ''],
    ])
    expect(month).toContain('<span>0 minutes</span><span>290.0 minutes</span>')
    expect(month).not.toContain('role="img"')
    const day = section(await totals('--by user-total --from 2025-10-24 --to 2025-10-25'), 'totals')
    expect(rowsOf(day)[0]).not.toContain('First in')
    expect(day).toContain('<span>00:00</span><span>00:00</span>')
    expect(day.match(/<svg [^>]*role="img"/g)).toHaveLength(2)
  })

  test('sessions report --by month --html draws a bar for each month', async () => {
    const text = section(await totals('--by month'), 'totals')
    expect(rowsOf(text)).toEqual([
      ['Month', 'Participants', 'Rooms', 'Days', 'Meetings', 'Room minutes', '0 minutes370.0 minutes'],
      ['2025-10', '3', '2', '4', '5', '370.0', ''],
      ['2025-11', '1', '1', '1', '1', '10.0', ''],
    ])
    expect(text).toContain('<rect class="there" x="0" y="3" width="1000" height="10"/>')
    expect(text).toContain('<rect class="there" x="0" y="3" width="27" height="10"/>')
  })

  test('sessions report --by meeting --html writes a section for each meeting', async () => {
    const text = await totals('--by meeting --absent')
    expect(
      [...text.matchAll(/<h2 id="meeting.*?">(.*?)<\/h2>\n<p>(.*?)<\/p>/g)].map(([, ...words]) => words),
    ).toEqual([
      [
        '<bdi>Mathematics 7b</bdi>, meeting 1',
        'Room maths. 2025-10-24 10:00 to 10:45, 45.0 minutes, 2 participants.',
      ],
      [
        '<bdi>Mathematics 7b</bdi>, meeting 2',
        'Room maths. 2025-10-24 12:00 to 12:45, 45.0 minutes, 1 participant.',
      ],
      [
        '<bdi>Mathematics 7b</bdi>, meeting 3',
        'Room maths. 2025-10-25 23:30 to 2025-10-26 02:30, 180.0 minutes, 1 participant.',
      ],
      [
        '<bdi>Mathematics 7b</bdi>, meeting 4',
        'Room maths. 2025-10-31 23:50 to 2025-11-01 00:10, 20.0 minutes, 1 participant.',
      ],
      ['<bdi>Art</bdi>, meeting 1', 'Room art. 2025-10-24 10:30 to 11:00, 30.0 minutes, 2 participants.'],
    ])
    expect(
      rowsOf(section(text, 'meeting-1-1'))
        .slice(1)
        .map((row) => row.slice(0, 7)),
    ).toEqual([
      ['ALANalan', 'guest', '', '', '0.0', '0 %', 'no'],
      ['ADAada', 'host', '10:00', '10:45', '45.0', '100 %', 'yes'],
      ['GRACEgrace', 'guest', '10:05', '10:45', '40.0', '89 %', 'yes'],
    ])
  })

  test('sessions report --by meeting --html shows 1,100 participants of a meeting in one section', async () => {
    const sessions = Array.from({ length: 1100 }, (_, i) =>
      session(`u${i}`, '08:00', '08:30', { id: `s${i}`, name: 'N' }),
    )
    school(world, { maths: { sessions } })
    await report('maths --by meeting -o ndjson')
    expect(page().match(/<section aria-labelledby="meeting-/g)).toHaveLength(1)
    expect(page()).toContain('1100 participants')
  })

  test('sessions report --html and usage --html escape HTML in names', async () => {
    hostileLessons()
    for (const by of ['user-total', 'meeting', 'user,month', 'room,day']) {
      expect((await report(`--all-rooms --by ${by} -o ndjson`)).code).toBe(0)
      expect(harmIn(page())).toBeUndefined()
      expect(page()).not.toMatch(/<script|<img|\bon\w+=["']|<h1>owned/)
    }
    await world.run('usage --month 2026-01 --by room --html page.html')
    expect(page()).toContain('&lt;/title&gt;')
    expect(page()).not.toMatch(/<script|<img|\bon\w+=["']|<h1>owned/)
  })

  test('sessions report --by month --html shows minutes per week or month for a long period', async () => {
    const sessions = [
      session('ada', '08:00', '09:00'),
      session('ada', '08:00', '09:00', {
        id: 'early',
        connected_at: '2025-07-01T08:00:00Z',
        disconnected_at: '2025-07-01T09:00:00Z',
      }),
    ]
    school(world, { maths: { sessions } })
    await report('maths --by month -o ndjson')
    expect(rowsOf(section(page(), 'minutes-per-week'))).toHaveLength(27)
    school(world, {
      maths: {
        sessions: [
          ...sessions,
          session('ada', '08:00', '09:00', {
            id: 'old',
            connected_at: '2020-07-01T08:00:00Z',
            disconnected_at: '2020-07-01T09:00:00Z',
          }),
        ],
      },
    })
    await report('maths --by month -o ndjson')
    expect(rowsOf(section(page(), 'minutes-per-month'))).toHaveLength(67)
  })

  test('usage --html shows the charts and totals of a month', async () => {
    term(world)
    const usage = async (line: string) => {
      const more = await world.run(`usage --time-zone Europe/Berlin --html page.html ${line}`)
      expect(more).toMatchObject({
        code: 0,
        stderr: 'deleted rooms are missing\nwrote page.html\n',
      })
      return rowsOf(section(page(), 'totals'))
    }
    const bar = (most: number) => `0 minutes${most.toFixed(1)} minutes`
    expect(await usage('--month 2025-10')).toEqual([
      ['Month', 'Rooms', 'Participants', 'Meetings', 'Room minutes', 'Peak', 'Peak time', bar(370)],
      ['2025-10', '2', '3', '5', '370.0', '2', '2025-10-24 10:05', ''],
    ])
    expect(section(page(), 'minutes-per-day').match(/<rect class="bar"/g)).toHaveLength(8)
    const title = 'Usage in 2025-10'
    expect(page()).toContain(`<title>${title}</title>`)
    expect(page()).toContain(`<h1>${title}</h1>`)
    expect(page()).toContain('<span>180.0 minutes</span><span>90.0</span><span>0</span>')
    expect(page()).toContain('<footer><p>Concurrent connections of a participant count once.</p></footer>')
    expect(await usage('--month 2025-10 --by room -o csv')).toEqual([
      ['Room', 'Month', 'Participants', 'Meetings', 'Room minutes', 'Peak', 'Peak time', bar(320)],
      ['Mathematics 7b', '2025-10', '3', '4', '320.0', '2', '2025-10-24 10:05', ''],
      ['Art', '2025-10', '2', '1', '50.0', '2', '2025-10-24 10:30', ''],
    ])
    expect(await usage('--month 2024-02')).toHaveLength(2)
    expect(page()).not.toContain('class="charts"')
  })

  test('sessions report --by month --html omits charts if no participant attended', async () => {
    school(world, { maths: {} })
    expect((await report('maths --by month')).code).toBe(0)
    expect(page()).not.toContain('class="charts"')
  })
})

// A system package such as Debian’s chromium provides the browser.
describe.skipIf(browser === undefined)('the HTML page of a report in a browser', { timeout: 120_000 }, () => {
  test('a browser shows names with HTML on the report page as text', async () => {
    hostileLessons()
    await report('--all-rooms --absent')
    const dom = await domOf(file())
    const decode = (html: string) =>
      html.replace(
        /&(lt|gt|quot|amp|nbsp);/g,
        (_, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&', nbsp: '\u00a0' })[name] ?? '',
      )
    const cells = [...dom.matchAll(/<th scope="row"><bdi>(.*?)<\/bdi>/g)].map(([, text = '']) => decode(text))
    const shown = hostile.map((name) =>
      name === hostile[9] ? String.raw`\u202eevil\u2066\u0000\u001b]0;owned\u0007\u2028` : name,
    )
    expect(cells).toEqual(shown.flatMap((name) => [name, name]))
    expect(dom).toContain(`<title>Attendance in ${hostile.length} rooms</title>`)
    const tags = [...dom.matchAll(/<([a-z]\w*)((?:\s+[\w-]+="[^"]*")*)\s*>/g)]
    const attributes = tags.flatMap(([, , text = '']) =>
      [...text.matchAll(/([\w-]+)="(?!#)[^"]*"/g)].map(([, name]) => name),
    )
    expect(tags.length).toBe(dom.match(/<[a-z]/gi)?.length)
    expect(tags.map(([, name]) => name)).not.toContain('script')
    expect([...new Set(attributes)].filter((name) => /^(on|src|href|style)/.test(name ?? ''))).toEqual([])
    expect(dom.match(/<section aria-labelledby/g)).toHaveLength(hostile.length)
  })

  test('the content security policy of the report page blocks injected scripts in a browser', async () => {
    school(world, { maths })
    await report('maths')
    writeFileSync(file(), page().replace('</main>', '<script>document.title = "ran"</script></main>'))
    const dom = await domOf(file())
    expect(dom).toContain('<title>Attendance in Mathematics 7b</title>')
    expect(dom.match(/<rect class="there"/g)).toHaveLength(3)
  })
})

test.runIf(browser === undefined)(
  'the browser tests of the HTML page are skipped without chromium or google-chrome',
  ({ skip }) => {
    skip('there is no chromium or google-chrome on PATH')
  },
)
