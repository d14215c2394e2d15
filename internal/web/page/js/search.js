// Searching what was said in all sessions.
import { get, part } from './api.js';
import { h } from './dom.js';
import { choice, column, empty, field, finder, head, marked, Screen, shown, who } from './screen.js';
import { change } from './store.js';
import { dayClock, endOf, number, plural, startOf } from './words.js';

const syntax = [
  ['docker deployment', 'both words, in any form and case'], ['"exact phrase"', 'the words next to each other'],
  ['docker OR kubernetes', 'either word'], ['python -java', 'the first without the second'],
  ['deploy*', 'words that begin so'], ['(docker OR podman) "rolling update"', 'parentheses group'],
];

class Search extends Screen {
  constructor() {
    super('Search');
    /** @type {Record<string, string>} */
    this.query = {};
    this.text = '';
    this.source = this.reads((signal) => get('api/search', { ...this.query, limit: 30, from: startOf(this.query.from), to: endOf(this.query.to) }, signal));
  }

  /** @param {Route} route */
  go(route) {
    const same = JSON.stringify(route.query) === JSON.stringify(this.query);
    this.query = route.query;
    if (same && this.source.data) return;
    this.text = route.query.q ?? '';
    this.source.problem = null;
    if (this.text) this.source.again();
    else this.source.data = undefined;
    change();
  }

  /** @param {Record<string, string>} to */
  set(to) {
    const query = Object.entries({ ...this.query, q: this.text.trim(), ...to }).filter(([, v]) => v);
    location.hash = `#/search${query.length ? `?${new URLSearchParams(query)}` : ''}`;
  }

  content() {
    const q = this.query;
    const invalid = this.source.problem?.code === 'invalid_query' ? this.source.problem : null;
    return [
      head('', 'Search'),
      h('form', { class: 'tools-row', role: 'search', onsubmit: (e) => { e.preventDefault(); this.set({}); } },
        finder('Words that were said', this.text, (text) => { this.text = text; }, { size: 36 }),
        h('button', { class: 'primary' }, 'Search'),
        h('label', null, 'by', choice([['', 'anybody'], ['user', 'people'], ['assistant', 'answers'], ['tool', 'tools']], q.role ?? '', (role) => this.set({ role }))),
        [['source', 'text'], ['from', 'date'], ['to', 'date']].map(([name, type]) =>
          field(name, { type, size: 10, value: q[name] ?? '', onchange: (/** @type {any} */ e) => this.set({ [name]: e.target.value.trim() }) }))),
      column('', h('details', null, h('summary', { class: 'note' }, 'How to ask'), h('dl', { class: 'keys' }, syntax.map(([a, b]) => [h('dt', { class: 'mono' }, a), h('dd', null, b)]))),
        invalid ? wrong(q.q ?? '', invalid) : !q.q ? empty('Type what you remember of it. What was said in any session is found by its words.') : shown(this.source, results)),
    ];
  }
}

/** @param {string} q @param {any} problem */
function wrong(q, problem) {
  const at = Number(/\[(\d+)\]/.exec(problem.param)?.[1] ?? 1) - 1;
  return h('div', { class: 'trouble', role: 'alert' }, h('p', null, problem.message), marked(q, at));
}

/** @param {any} page */
function results(page) {
  if (page.data.length === 0) return empty('Nothing was said with these words. Try fewer words, or the beginning of one with a star: deploy*');
  return [
    h('p', { class: 'note', role: 'status' }, `${plural(page.data.length, 'session')}`, page.partial && '. These words are very common: only the newest messages were ranked.'),
    page.data.map((/** @type {any} */ s) => h('section', { key: s._lineage_root_id, class: 'hit' },
      h('h2', null, h('a', { href: `#/sessions/${part(s._lineage_root_id)}` }, s.title ?? s._lineage_root_id), h('span', { class: 'note' }, ` ${plural(s.match_count, 'match', 'matches')}`)),
      h('ul', null, s.matches.map((/** @type {any} */ m) => h('li', { key: m.message_id }, match(s, m)))))),
  ];
}

/** @param {any} s @param {any} m */
function match(s, m) {
  const chars = [...m.snippet];
  /** @type {Kid[]} */
  const out = [];
  let at = 0;
  for (const [from, to] of m.highlights) {
    out.push(chars.slice(at, from).join(''), h('mark', null, chars.slice(from, to).join('')));
    at = to;
  }
  out.push(chars.slice(at).join(''));
  return h('a', { class: 'row', href: `#/sessions/${part(s._lineage_root_id)}/${m.seq}` },
    h('span', { class: m.role === 'user' ? 'said' : undefined }, out),
    h('span', { class: 'side' }, `${who(m.role)}, ${dayClock(m.said_at)}`, h('br'), `message ${number(m.seq)}`));
}

export const open = () => new Search();
