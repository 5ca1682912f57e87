import { createTextResponse, type TextResponse } from '../service/response.ts'
import script from './browser/main.ts?script'
import { roomPageStyle } from './style.ts'

/**
 * Creates one page for all rooms, and the assets.
 * @param embedOrigin only origin that may embed the page; undefined for none
 */
export function createFiles(embedOrigin: string | undefined) {
  return {
    page: createFile('text/html', formatRoomPage(embedOrigin), {
      'content-security-policy': createPolicy(embedOrigin),
      ...(embedOrigin === undefined && { 'x-frame-options': 'DENY' }),
      'cache-control': 'no-store',
      // Identifies the embedded service to commands that create links.
      server: 'meetroom',
    }),
    assets: new Map([
      ['/room-page/room.js', createFile('text/javascript', script)],
      ['/room-page/room.css', createFile('text/css', roomPageStyle)],
      ['/room-page/icon.svg', createFile('image/svg+xml', icon)],
    ]),
  }
}

function createPolicy(embedOrigin = "'none'"): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' https:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${embedOrigin}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

function createFile(type: string, text: string, more: Readonly<Record<string, string>> = {}): TextResponse {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-cache',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...more,
  }
  return createTextResponse(200, headers, text)
}

/** @param embedOrigin an origin, which cannot contain characters that need HTML escaping */
function formatRoomPage(embedOrigin: string | undefined): string {
  const embed = embedOrigin === undefined ? '' : ` data-embed-origin="${embedOrigin}"`
  return `<!doctype html>
<html lang="en"${embed}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>Room</title>
<link rel="icon" href="../room-page/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="../room-page/room.css">
<script type="module" src="../room-page/room.js"></script>
</head>
<body>
<header>
<div class="title">
<h1 id="name">Room</h1>
<p><span id="dot" class="dot" aria-hidden="true"></span><span id="status" role="status">Connecting…</span>
<button type="button" id="retry" hidden>Reconnect now</button></p>
</div>
<div class="clock" id="clock" hidden>
<span id="clock-label">Meeting time</span>
<span id="clock-time" role="timer" aria-labelledby="clock-label clock-time">0:00</span>
<span id="clock-note"></span>
</div>
</header>
<noscript><p class="panel">This page needs JavaScript.</p></noscript>
<section id="ended" class="panel" role="alert" tabindex="-1" hidden>
<h2 id="ended-title"></h2>
<p id="ended-text"></p>
<button type="button" id="again">Try again</button>
</section>
<main id="room" hidden>
<section id="pages" class="pages" aria-label="Pages" hidden>
<div id="page" class="page" tabindex="0" role="group" aria-labelledby="page-number"></div>
<div class="pager">
<button type="button" id="previous" aria-label="Previous page">‹</button>
<span id="page-number" aria-live="polite"></span>
<button type="button" id="next" aria-label="Next page">›</button>
</div>
</section>
<section class="messages" aria-labelledby="messages-title">
<h2 id="messages-title">Messages</h2>
<p id="no-messages" class="hint">Messages to this room appear here.</p>
<ol id="messages" role="log" aria-labelledby="messages-title" tabindex="0"></ol>
</section>
<section class="people" aria-labelledby="people-title">
<h2 id="people-title">People <span id="count" class="count"></span></h2>
<ul id="people"></ul>
<p id="more-people" class="hint" hidden></p>
</section>
</main>
</body>
</html>
`
}

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#1f5fbf"/><circle cx="5.5" cy="6.5" r="2" fill="#fff"/><circle cx="10.5" cy="6.5" r="2" fill="#fff"/><path d="M2.5 12.5a3 3 0 0 1 6 0zm5 0a3 3 0 0 1 6 0z" fill="#fff"/></svg>
`
