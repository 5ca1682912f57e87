export const pageStyle = `
:root { color-scheme: light dark; --text: #1c1e21; --dim: #5c6470; --line: #d5d9df; --paper: #fff; --there: #1a7f4b; --time: #e8ebef; --bad: #b42318 }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --dim: #a0a8b4; --line: #3a4048; --paper: #16181c; --there: #3fb27f; --time: #2a2f36; --bad: #ff8a80 } }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem; background: var(--paper); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.6rem }
h2 { margin: 2.5rem 0 0; font-size: 1.2rem; overflow-wrap: anywhere }
p, caption, footer { color: var(--dim) }
p { margin: .2rem 0 }
.failed p { color: var(--bad) }
.wide { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); text-align: start; font-weight: normal; white-space: nowrap; vertical-align: middle }
thead th { color: var(--dim); font-size: .85rem }
tbody th { font-weight: 600; white-space: normal; overflow-wrap: anywhere; min-width: 8rem }
td.id { white-space: normal; overflow-wrap: anywhere; min-width: 5rem }
.number { text-align: end }
.time { width: 40%; min-width: 14rem; padding-inline-end: 0 }
.axis { display: flex; justify-content: space-between; gap: 1rem }
.absent th, .absent td { color: var(--dim) }
svg { display: block; width: 100%; height: 1rem }
svg.chart { height: 8rem; border-bottom: 1px solid var(--line) }
.charts details { color: var(--dim) }
.charts details table { width: auto }
.meeting { fill: var(--time) }
.there, .bar { fill: var(--there) }
footer { margin-top: 3rem; font-size: .85rem }
@media print {
  :root { color-scheme: light; --text: #000; --dim: #444; --line: #bbb; --paper: #fff; --there: #1a7f4b; --time: #e8ebef }
  body { margin: 0; max-width: none; font-size: 9pt }
  .wide { overflow: visible }
  h2 { break-after: avoid }
  tr { break-inside: avoid }
  svg { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
`
