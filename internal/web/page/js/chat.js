// A session on view: its heading, its transcript, the answer as it comes, and the field
// to say something in.
import { get, part, Problem } from './api.js';
import { actions, forkFrom, goTo, rename } from './actions.js';
import { Compose } from './compose.js';
import { h, ready } from './dom.js';
import { on } from './events.js';
import { Live } from './live.js';
import { redo, Why } from './message.js';
import { shown, Source } from './screen.js';
import { can, change, state } from './store.js';
import { Transcript } from './transcript.js';
import { plural } from './words.js';

export class Chat {
  constructor() {
    this.root = '';
    /** @type {string | undefined} the message that the address names */
    this.at = undefined;
    this.gone = false;
    /** @type {any} the receipt on view */
    this.reason = null;
    /** @type {Map<number, any>} what runs have said of their answers, by the seq behind them */
    this.said = new Map();
    /** @type {any[]} the runs that have ended without an answer */
    this.lost = [];
    this.session = new Source((signal) => get(`api/sessions/${part(this.root)}`, {}, signal).catch(missing));
    this.doing = {
      root: '',
      why: (/** @type {string} */ id) => this.why(id),
      fork: (/** @type {any} */ m) => forkFrom(this.root, m),
      hermes: (/** @type {any} */ m) => this.said.get(m.seq + 1),
      lost: (/** @type {any} */ m) => this.lost.find((run) => Date.parse(run.started_at) <= Date.parse(m.created_at) && Date.parse(m.created_at) <= Date.parse(run.finished_at)),
      again: (/** @type {string} */ text) => this.live.say(text, ''),
    };
    this.transcript = new Transcript(this.doing, () => this.moved());
    this.live = new Live(this);
    this.compose = new Compose(this);
    this.follows = true;
    this.stops = [
      on('session', (e) => { if (e.id === this.root) this.changed(e); }),
      on('run', (e) => { if (e.what === 'started') this.live.find(e.id); }),
      on('approval', (e) => { if (e.what === 'waiting') this.live.find(e.id); }),
      on('reset', () => { if (this.root) this.changed({ what: 'message' }); }),
    ];
  }

  close() {
    for (const stop of this.stops) stop();
    this.leave();
  }

  /** @param {Route} route */
  go(route) {
    const [id, name] = route.path;
    if (id === undefined) { this.leave(); return; }
    const root = route.fresh ? '' : id;
    const at = /^\d{1,15}$/.test(name ?? '') ? name : undefined;
    if (root !== this.root || this.fresh === undefined) this.open(root, at);
    else if (at !== undefined && at !== this.at) this.transcript.go(Number(at));
    this.at = at;
    this.panelFor(route.query.why);
  }

  // leave forgets the session on view. Its answer goes on.
  leave() {
    this.fresh = undefined;
    this.root = this.doing.root = '';
    this.gone = false;
    this.said.clear();
    this.lost = [];
    this.live.stop();
    this.session.close();
    this.session.data = undefined;
    this.transcript.clear();
    this.panelFor(undefined);
  }

  /** @param {string} root @param {string | undefined} at */
  open(root, at) {
    this.leave();
    this.fresh = root === '';
    this.root = this.doing.root = root;
    this.follows = at === undefined;
    this.compose.open(root);
    if (!root) return;
    this.session.again();
    this.transcript.open(at === undefined ? undefined : Number(at));
    this.live.open(root);
  }

  /** begun names the session that the first message has begun. @param {string} root */
  begun(root) {
    this.root = this.doing.root = root;
    this.fresh = false;
    history.replaceState(null, '', `#/sessions/${part(root)}`);
    state.route = { place: 'sessions', path: [root], fresh: false, query: {} };
    this.session.again();
  }

  /** @param {any} event */
  async changed(event) {
    if (event.what === 'deleted') {
      this.gone = true;
      this.live.stop();
      change();
      return;
    }
    this.session.again();
    if (event.what === 'message') await this.live.fresh();
    if (event.what === 'changed' && !this.live.busy) await this.transcript.again().catch(() => {});
  }

  /** tell keeps what a run has said of its answer, or that there is none. It reports whether the message on view says so. @param {any} run */
  tell(run) {
    if (run.end_seq) this.said.set(run.end_seq, run.hermes);
    else this.lost.push(run);
    const m = this.transcript.rows.findLast((row) => (run.end_seq ? row.seq === run.end_seq - 1 : row.role === 'user' && this.doing.lost(row) === run));
    const el = m && this.transcript.els.get(m.seq);
    if (m && el) this.transcript.keep(() => redo(el, m, this.doing));
    return Boolean(el);
  }

  moved() {
    const end = this.transcript.atEnd;
    if (end === this.follows) return;
    this.follows = end;
    change();
  }

  title() {
    const s = this.session.data;
    if (!this.root) return 'New session';
    return s?.title ?? s?.preview ?? this.root;
  }

  /** why opens the panel of an answer, or that of the newest. @param {string} [receipt] */
  why(receipt) {
    const id = receipt ?? this.transcript.rows.findLast((m) => m.receipt_id)?.receipt_id;
    if (id) location.hash = `${this.address}?why=${part(id)}`;
  }

  /** @param {string | undefined} id */
  panelFor(id) {
    if (id === this.reason?.id) return;
    this.reason?.close();
    this.reason = id ? new Why(id, () => this.closePanel()) : null;
  }

  get address() { return `#/sessions/${part(this.root)}${this.at ? `/${this.at}` : ''}`; }

  closePanel() { location.hash = this.address; }

  panel() { return this.reason?.view(); }

  rename() { if (this.session.data) rename(this.session.data, () => this.session.again()); }

  view() {
    this.compose.draw();
    this.transcript.view();
    const waits = this.live.busy ? 'Follow the answer' : 'To the newest message';
    return [
      this.head(),
      this.gone && h('div', { class: 'trouble', role: 'alert' }, h('p', null, 'This session was deleted elsewhere. What you see is all that is left of it on this page.'),
        this.compose.field.value && h('p', { class: 'said plain' }, this.compose.field.value),
        h('a', { class: 'button', href: '#/sessions/new', onclick: () => this.compose.carry() }, this.compose.field.value ? 'Say it in a new session' : 'New session')),
      this.root ? shown(this.session, () => null) : null,
      h('div', { class: 'stage' }, ready(this.transcript.el),
        !this.root && this.transcript.tail.length === 0 && h('div', { class: 'hello' }, h('p', null, 'Say something, or ask. What you tell is remembered, and every answer can say why it is so.')),
        !this.follows && this.root && h('button', { class: 'follow', onclick: () => this.toEnd() }, waits)),
      !this.gone && can('chat') && ready(this.compose.el),
    ];
  }

  async toEnd() {
    if (this.transcript.after) await this.transcript.open(undefined);
    this.transcript.toEnd();
    this.moved();
  }

  head() {
    const s = this.session.data;
    return h('header', { class: 'head' },
      h('a', { class: 'back', href: '#/sessions', 'aria-label': 'Back to the sessions' }, '‹ Back'),
      h('h1', { title: this.title() }, this.title()),
      s && h('p', { class: 'meta' }, h('span', { class: 'mono' }, s.session_key ?? this.root),
        `, ${plural(s.lineage_message_count, 'message')}`, s.compressions > 0 && `, folded ${s.compressions === 1 ? 'once' : plural(s.compressions, 'time')}`, s.ended_at && ', ended'),
      s && can('memory') && h('a', { href: s.session_key ? `#/memory/key/${part(s.session_key)}` : `#/memory/session/${part(this.root)}` }, 'Memory'),
      s && actions(s, { reload: () => this.session.again(), goTo: () => goTo(this), taken: () => this.takenBack(), undone: this.transcript.undone, anew: () => this.anew() }));
  }

  // anew reads the transcript again, after messages were taken back.
  async anew() {
    this.session.again();
    await this.transcript.open(undefined);
  }

  takenBack() {
    this.transcript.undone = !this.transcript.undone;
    this.anew();
  }
}

/** missing says in the page's words that a session is not there. @param {unknown} err @returns {never} */
function missing(err) {
  if (err instanceof Problem && err.status === 404 && !err.foreign) err.message = 'There is no such session. It may have been deleted.';
  throw err;
}
