// How the server is: what a check finds, worst first, and what to do.
import { get } from './api.js';
import { h } from './dom.js';
import { on } from './events.js';
import { empty, shown, Source } from './load.js';
import { change } from './store.js';
import { ago, bytes, exact, number } from './words.js';

const order = ['failed', 'warning', 'ok'];
const says = /** @type {Record<string, string>} */ ({ failed: 'Failed', warning: 'Look at this', ok: 'Fine' });
const tones = /** @type {Record<string, string>} */ ({ failed: 'bad', warning: 'warn', ok: 'now' });

class Health {
  constructor() {
    this.deep = false;
    this.doctor = new Source((signal) => get('api/doctor', { deep: this.deep || '' }, signal));
    this.detail = new Source((signal) => get('health/detailed', {}, signal));
    this.work = new Source((signal) => get('api/work', { limit: 50 }, signal));
    this.stops = [on('work', () => this.work.again())];
    for (const s of [this.doctor, this.detail, this.work]) s.again();
  }

  close() {
    for (const stop of this.stops) stop();
    for (const s of [this.doctor, this.detail, this.work]) s.close();
  }

  view() {
    const check = (/** @type {boolean} */ deep) => () => { this.deep = deep; this.doctor.again(); this.detail.again(); change(); };
    return [
      h('header', { class: 'head' }, h('h1', null, 'Health'), h('button', { onclick: check(false), disabled: this.doctor.busy }, 'Check again'), h('button', { onclick: check(true), disabled: this.doctor.busy }, this.doctor.busy && this.deep ? 'Reading everything…' : 'Deep check')),
      h('div', { class: 'scroll', tabindex: 0 }, h('div', { class: 'column wide' }, shown(this.doctor, findings), shown(this.detail, detail), shown(this.work, work))),
    ];
  }
}

/** @param {any} d */
function findings(d) {
  const rows = [...d.findings].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
  return h('ul', { class: 'quotes' }, rows.map((f) => h('li', { key: f.about + f.says }, h('p', null, h('strong', { class: tones[f.level] }, `${says[f.level] ?? f.level}: `), `${f.about}. `, f.says), f.do && h('p', { class: 'note' }, `What to do: ${f.do}`))));
}

/** @param {any} d */
function detail(d) {
  const rows = /** @type {[string, Kid][]} */ ([
    ['version', d.version], ['running since', exact(d.started_at)], ['answers', d.responder?.kind ? `${d.responder.kind}${d.responder.model ? `, ${d.responder.model}` : ''}` : ''],
    ['upstream', [d.upstream.url ?? d.upstream.kind, d.upstream.error].filter(Boolean).join(': ')],
    ['database', `${d.data.file}, ${bytes(d.data.bytes)}, checked ${d.data.checked === 'deep' ? 'deeply' : 'quickly'}`],
    ['damage', d.data.damage.length > 0 && h('span', { class: 'bad' }, d.data.damage.join('; '))],
    ['disk', d.data.disk && `${bytes(d.data.disk.free)} of ${bytes(d.data.disk.total)} free${d.data.disk.low ? ': nothing more is stored' : ''}`],
    ['text index', d.data.index.waiting > 0 ? `${number(d.data.index.waiting)} messages wait for it` : 'complete'],
    ['chat platforms', (d.platforms ?? []).map((/** @type {any} */ p) => `${p.platform}: ${p.state}${p.reason ? `, ${p.reason}` : ''}`).join('; ')],
    ['keys', `${number(d.keys.valid)}${d.keys.development ? '; the development key is accepted on this machine' : ''}`],
  ]);
  return [h('h2', null, 'The server'), h('dl', { class: 'pairs' }, rows.filter(([, v]) => v).map(([k, v]) => [h('dt', null, k), h('dd', null, v)]))];
}

/** @param {any} w */
function work(w) {
  return [h('h2', null, 'Work behind the turns'), w.data.length === 0 ? empty('Nothing waits.') : h('ul', { class: 'quotes' }, w.data.map((/** @type {any} */ t) => h('li', { key: t.kind + t.session_id },
    h('p', null, `${t.kind} of `, h('a', { href: `#/sessions/${encodeURIComponent(t.session_id)}` }, t.session_id), `: ${t.status}${t.attempts > 1 ? `, ${number(t.attempts)} attempts` : ''}${t.next_attempt_at ? `, next ${ago(t.next_attempt_at)}` : ''}`), t.error && h('p', { class: 'note bad' }, t.error))))];
}

export function open() {
  const health = new Health();
  return { title: () => 'Health', go: () => {}, content: () => health.view(), close: () => health.close() };
}
