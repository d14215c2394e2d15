// The turns of a session that are under way, and what others say meanwhile.
import { get, part, post, Problem, reachable } from './api.js';
import { Answer, over } from './answer.js';
import { failed } from './dialog.js';
import { follow, tellAll } from './events.js';
import { ending, spoken } from './message.js';
import { change, randomID, say } from './store.js';

/** @typedef {import('./chat.js').Chat} Chat */
/** @typedef {{run: any, answer: Answer, said: HTMLElement | null, text: string}} Turn */

export class Live {
  /** @param {Chat} chat */
  constructor(chat) {
    this.chat = chat;
    /** @type {Turn[]} the turns that are not over, oldest first */
    this.turns = [];
    this.end = () => {};
    this.following = '';
    this.round = 0;
  }

  get busy() { return this.turns.length > 0; }

  stop() {
    this.round++;
    this.end();
    this.end = () => {};
    this.following = '';
    this.turns = [];
  }

  /** @param {string} root */
  async open(root) {
    const round = this.round;
    const page = await get('v1/runs', { session_id: root, limit: 50 }).catch(() => ({ data: [] }));
    if (round !== this.round) return;
    for (const run of page.data.reverse()) {
      if ((run.lineage_root_id ?? run.session_id) !== root) continue;
      if (run.finished_at) this.chat.tell(run);
      else this.join(run, null);
    }
  }

  /** @param {string} id */
  async find(id) {
    if (!this.chat.root || this.turns.some((t) => t.run.run_id === id)) return;
    const round = this.round;
    const run = await get(`v1/runs/${part(id)}`).catch(() => null);
    const root = run?.lineage_root_id ?? run?.session_id;
    if (!run || run.finished_at || root !== this.chat.root || round !== this.round) return;
    this.join(run, null);
  }

  /** @param {any} run @param {Turn | null} begun */
  join(run, begun) {
    if (this.turns.some((t) => t.run?.run_id === run.run_id && t !== begun)) {
      if (begun) this.lose(begun);
      return;
    }
    const turn = begun ?? this.place(null);
    turn.run = run;
    this.next();
  }

  /** place makes room for a turn in the transcript. @param {HTMLElement | null} said @param {string} [text] */
  place(said, text = '') {
    const answer = new Answer((f) => this.chat.transcript.keep(f));
    const turn = { run: { run_id: '' }, answer, said, text };
    this.turns.push(turn);
    this.chat.transcript.add(...(said ? [said] : []), answer.el);
    this.chat.transcript.ol.setAttribute('aria-busy', 'true');
    change();
    return turn;
  }

  next() {
    const turn = this.turns[0];
    if (!turn?.run.run_id || this.following === turn.run.run_id) return;
    this.end();
    this.following = turn.run.run_id;
    say('Answering');
    this.end = follow({
      path: `v1/runs/${part(turn.run.run_id)}/events`, query: { format: 'nodes' },
      tell: ({ data }) => this.tell(turn, data),
      failed: (problem) => { this.over(turn, { status: 'failed', error: { message: problem.message } }); },
    });
  }

  /** @param {Turn} turn @param {any} event */
  tell(turn, event) {
    if (event.type === 'approval.request') say('A call waits for you');
    if (over(event)) {
      this.over(turn, event);
      return true;
    }
    turn.answer.tell(event);
    return false;
  }

  /** over puts messages in the place of an answer. @param {Turn} turn @param {any} event */
  async over(turn, event) {
    const round = this.round;
    turn.answer.end(ending(event));
    say(ending(event) || 'Answered');
    const run = turn.run.run_id && await again(() => get(`v1/runs/${part(turn.run.run_id)}`)).catch(() => null);
    await this.take();
    if (round !== this.round) return;
    const keep = !(run && this.chat.tell(run)) && event.status !== 'completed';
    this.turns = this.turns.filter((t) => t !== turn);
    this.chat.transcript.drop(...(turn.said ? [turn.said] : []), ...(keep ? [] : [turn.answer.el]));
    if (!this.busy) this.chat.transcript.ol.removeAttribute('aria-busy');
    this.following = '';
    tellAll('session', { id: this.chat.root, what: 'changed' });
    this.next();
    change();
  }

  /** fresh reads what was said since; while an answer comes, by people only. */
  async fresh() {
    const first = (/** @type {any[]} */ rows) => {
      const end = rows.findIndex((m) => m.role !== 'user');
      return end < 0 ? rows : rows.slice(0, end);
    };
    await this.take(this.busy ? first : undefined);
  }

  /** take reads new messages, and drops what was said once it is one of them. @param {(rows: any[]) => any[]} [choose] */
  async take(choose) {
    const rows = await again(() => this.chat.transcript.fresh(choose)).catch(() => []);
    for (const m of rows) {
      const turn = this.turns.find((t) => t.said && t.text === m.content.trim());
      if (!turn?.said || m.role !== 'user') continue;
      this.chat.transcript.drop(turn.said);
      turn.said = null;
    }
  }

  /**
   * say says something, and follows the answer. It throws if that was not taken.
   * @param {string} text @param {string} model
   */
  async say(text, model) {
    const { chat } = this;
    const said = spoken(text, 'pending');
    const turn = this.place(said, text);
    chat.toEnd();
    const round = this.round;
    const key = randomID();
    const request = { input: text, ...(chat.root && { session_id: chat.root }), ...(model && { model }) };
    try {
      const run = await again(() => post('v1/runs', request, { headers: { 'idempotency-key': key } }));
      if (round !== this.round) return;
      if (!chat.root) chat.begun(run.lineage_root_id ?? run.session_id);
      this.join(run, turn);
    } catch (err) {
      this.lose(turn);
      throw err;
    }
  }

  /** lose drops a turn without a run; the next may have waited. @param {Turn} turn */
  lose(turn) {
    this.turns = this.turns.filter((t) => t !== turn);
    this.chat.transcript.drop(turn.answer.el, ...(turn.said ? [turn.said] : []));
    this.next();
    change();
  }

  async stopNow() {
    const id = this.turns[0]?.run.run_id;
    if (!id) return;
    try { await post(`v1/runs/${part(id)}/stop`); } catch (err) { failed(err); }
  }
}

// again repeats a request that changes nothing twice until the server is reached.
/** @param {() => Promise<any>} ask */
async function again(ask) {
  for (;;) {
    try {
      return await ask();
    } catch (err) {
      if (!(err instanceof Problem) || err.status !== 0) throw err;
      await reachable();
    }
  }
}
