// Searching what was said in all sessions.
import { get, part } from './api.js';
import { h } from './dom.js';
import { empty, shown, Source } from './load.js';
import { head, who } from './shape.js';
import { change } from './store.js';
import { dayClock, number, plural } from './words.js';

const syntax = [
  ['docker deployment', 'both words, in any form and case'], ['"exact phrase"', 'the words next to each other'],
  ['docker OR kubernetes', 'either word'], ['python -java', 'the first without the second'],
  ['deploy*', 'words that begin so'], ['(docker OR podman) "rolling update"', 'parentheses group'],
];

class Search {
  constructor() {
    /** @type {Record<string, string>} */
    this.query = {};
    this.text = '';
    this.source = new Source((signal) => get('api/search', { ...this.query, limit: 30, from: this.query.from && new Date(`${this.query.from}T00:00:00`).toISOString(), to: this.query.to && new Date(`${this.query.to}T23:59:59`).toISOString() }, signal));
  }

  close() { this.source.close(); }

  /** @param {Route} route */
  go(route) {
    const same = JSON.stringify(route.query) === JSON.stringify(this.query);
    this.query = route.query;
    if (same && this.source.data) return;
    this.text = route.query.q ?? '';
    this.source.problem = null;
    if (this.text) this.source.again();
    else this.source.data = undefined;
  }

  /** @param {Record<string, string>} to */
  set(to) {
    const query = Object.entries({ ...this.query, q: this.text.trim(), ...to }).filter(([, v]) => v);
    location.hash = `#/search${query.length ? `?${new URLSearchParams(query)}` : ''}`;
  }

  view() {
    const q = this.query;
    const invalid = this.source.problem?.code === 'invalid_query' ? this.source.problem : null;
    return [
      head('', 'Search'),
      h('form', { class: 'tools-row', role: 'search', onsubmit: (e) => { e.preventDefault(); this.set({}); } },
        h('input', { type: 'search', size: 36, placeholder: 'Words that were said', 'aria-label': 'Words that were said', value: this.text, oninput: (e) => { this.text = e.target.value; } }),
        h('button', { class: 'primary' }, 'Search'),
        h('label', null, 'by', h('select', { onchange: (e) => this.set({ role: e.target.value }) },
          [['', 'anybody'], ['user', 'people'], ['assistant', 'answers'], ['tool', 'tools']].map(([v, t]) => h('option', { value: v, selected: v === (q.role ?? '') }, t)))),
        h('label', null, 'source', h('input', { size: 10, value: q.source ?? '', onchange: (e) => this.set({ source: e.target.value.trim() }) })),
        h('label', null, 'from', h('input', { type: 'date', value: q.from ?? '', onchange: (e) => this.set({ from: e.target.value }) })),
        h('label', null, 'to', h('input', { type: 'date', value: q.to ?? '', onchange: (e) => this.set({ to: e.target.value }) }))),
      h('div', { class: 'scroll' }, h('div', { class: 'column' },
        h('details', null, h('summary', { class: 'note' }, 'How to ask'), h('dl', { class: 'keys' }, syntax.map(([a, b]) => [h('dt', { class: 'mono' }, a), h('dd', null, b)]))),
        invalid ? wrong(q.q ?? '', invalid) : !q.q ? empty('Type what you remember of it. What was said in any session is found by its words.') : shown(this.source, results))),
    ];
  }
}

/** wrong marks the character that the search cannot read. @param {string} q @param {any} problem */
function wrong(q, problem) {
  const at = Number(/\[(\d+)\]/.exec(problem.param)?.[1] ?? 1) - 1;
  const chars = [...q];
  return h('div', { class: 'trouble', role: 'alert' }, h('p', null, problem.message),
    h('p', { class: 'query-error' }, chars.slice(0, at).join(''), h('u', null, chars[at] ?? ' '), chars.slice(at + 1).join('')));
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

export function open() {
  const search = new Search();
  return { title: () => 'Search', go: (/** @type {Route} */ r) => { search.go(r); change(); }, content: () => search.view(), close: () => search.close() };
}
