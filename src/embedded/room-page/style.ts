export const roomPageStyle = `
:root { color-scheme: light dark; --text: #1c1e21; --dim: #5c6470; --line: #d9dde3; --back: #f4f5f7; --card: #fff; --accent: #1f5fbf; --good: #1a7f4b; --wait: #9a6700; --bad: #b42318 }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --dim: #a0a8b4; --line: #343a42; --back: #111317; --card: #1a1d22; --accent: #7fb2ff; --good: #3fb27f; --wait: #e0a93b; --bad: #ff8a80 } }
* { box-sizing: border-box }
[hidden] { display: none !important }
html, body { height: 100% }
body { margin: 0; display: flex; flex-direction: column; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
h1, h2, p, ol, ul { margin: 0; padding: 0 }
h1 { font-size: 1.25rem; line-height: 1.3; overflow-wrap: anywhere }
h2 { font-size: .875rem; font-weight: 600; color: var(--dim) }
header { display: flex; gap: 1rem; align-items: center; justify-content: space-between; padding: .75rem 1.25rem; background: var(--card); border-bottom: 1px solid var(--line) }
.title { min-width: 0 }
.title p { display: flex; align-items: baseline; gap: .5rem; font-size: .875rem; color: var(--dim) }
#status { min-width: 0; overflow-wrap: anywhere }
.dot { flex: none; width: .6rem; height: .6rem; border-radius: 50%; background: var(--wait) }
.dot.online { background: var(--good) }
.dot.ended { background: var(--bad) }
.clock { flex: none; text-align: end; font-variant-numeric: tabular-nums }
.clock span { display: block }
#clock-label, #clock-note { font-size: .75rem; color: var(--dim) }
#clock-note { max-width: 9rem; line-height: 1.3 }
#clock-time { font-size: 1.5rem; line-height: 1.2; font-weight: 600 }
.clock.paused #clock-time { color: var(--dim) }
.clock.soon #clock-time { color: var(--bad) }
main { flex: 1; min-height: 0; display: grid; gap: 1rem; padding: 1rem 1.25rem; grid-template: minmax(0, auto) minmax(0, 1fr) / minmax(0, 1fr) 20rem; grid-template-areas: "messages people" "messages people" }
main.with-pages { grid-template-areas: "pages people" "pages messages" }
main > section { display: flex; flex-direction: column; min-height: 0; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem }
.pages { grid-area: pages; padding: 0 !important; overflow: hidden }
.page { flex: 1; min-height: 0; display: flex; flex-direction: column; gap: .5rem; align-items: center; justify-content: safe center; overflow: auto; padding: .75rem }
.page img { max-width: 100%; max-height: 100%; object-fit: contain; background: #fff; border-radius: .25rem }
.page p { padding: 2rem 1rem; color: var(--dim); text-align: center; overflow-wrap: anywhere }
.pager { display: flex; align-items: center; justify-content: center; gap: .75rem; padding: .5rem; border-top: 1px solid var(--line); font-size: .875rem; color: var(--dim); font-variant-numeric: tabular-nums }
.messages { grid-area: messages }
.messages ol { flex: 1; min-height: 0; overflow: auto; list-style: none; margin-top: .25rem }
.messages li { padding: .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere }
.messages time { display: block; font-size: .75rem; color: var(--dim); font-variant-numeric: tabular-nums }
.people { grid-area: people; max-height: 100% }
.with-pages .people { max-height: 16rem }
.people ul { list-style: none; overflow: auto; margin-top: .25rem }
.people li { display: flex; align-items: baseline; gap: .5rem; padding: .25rem 0 }
.people bdi { min-width: 0; overflow-wrap: anywhere }
.role { flex: none; padding: 0 .45rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .75rem; color: var(--dim) }
.role.host { color: var(--accent); border-color: currentColor }
.count { font-weight: 400 }
.hint { font-size: .875rem; color: var(--dim) }
.panel { width: min(28rem, calc(100% - 2.5rem)); margin: 12vh auto auto; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; text-align: center }
.panel:focus { outline: none }
.panel h2 { font-size: 1.25rem; color: var(--text) }
.panel p { margin: .5rem 0 1.25rem; color: var(--dim); overflow-wrap: anywhere }
button { min-height: 2.25rem; padding: .25rem .9rem; font: inherit; color: var(--accent); background: transparent; border: 1px solid var(--line); border-radius: .5rem; cursor: pointer }
button:hover:not(:disabled) { border-color: currentColor }
button:disabled { color: var(--dim); opacity: .6; cursor: default }
.title button { flex: none; min-height: 0; padding: 0 .6rem; font-size: .8125rem }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
@media (max-width: 48rem) {
  html, body { height: auto }
  header { position: sticky; top: 0; z-index: 1; padding: .6rem 1rem }
  main, main.with-pages { display: flex; flex-direction: column; padding: .75rem }
  .page { max-height: 60vh }
  .page img { height: auto }
  .messages ol { max-height: 50vh }
  .people { order: 1 }
}
@media (prefers-reduced-motion: no-preference) {
  .dot.connecting { animation: pulse 1.2s ease-in-out infinite alternate }
  @keyframes pulse { to { opacity: .3 } }
}
`
