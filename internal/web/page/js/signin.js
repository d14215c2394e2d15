// Getting in: without a key on this machine, else with one, which becomes a token of the
// page. The key itself is not kept.
import { auth, get, oldToken, onSignIn, post, Problem, remove, send, setToken, signedIn, useToken } from './api.js';
import { ask, dialog, failed } from './dialog.js';
import { h } from './dom.js';
import { choice, plain, trouble as saysWhy } from './screen.js';
import { change, dropDrafts, kept, state, setTheme, tab } from './store.js';

export async function enter() {
  onSignIn(askForKey);
  const code = takeCode();
  const page = await sure(() => get('api/page'));
  state.signIn = page.sign_in;
  state.version = page.version;
  if (page.sign_in === 'development') useToken('hermes');
  if (page.sign_in === 'key') useToken(oldToken());
  if (code && page.sign_in === 'key') await useCode(code);
  if (page.sign_in === 'key' && !auth().authorization) await signedIn();
  await whoAmI();
}

// sure asks until there is an answer: nothing of the page can be shown without it.
/** @param {() => Promise<any>} ask */
async function sure(ask) {
  const before = state.screen;
  for (let pause = 500; ; pause = Math.min(2 * pause, 8000)) {
    try {
      const got = await ask();
      if (!state.route.place) state.screen = before;
      return got;
    } catch (err) {
      if (!(err instanceof Problem)) throw err;
      const problem = err;
      // While something else is on view, it stays.
      if (!state.route.place) state.screen = plain('', () => [h('h1', { class: 'unseen' }, 'hermes'), saysWhy(problem, null)]);
      change();
      await new Promise((resolve) => { setTimeout(resolve, Math.max(pause, problem.retryAfter * 1000)); });
    }
  }
}

// whoAmI finds out who one is. What another person has typed in this tab is no longer kept.
async function whoAmI() {
  state.me = await sure(() => get('api/me'));
  const owner = state.me?.owner ?? '';
  if ((tab.get('owner') ?? owner) !== owner) dropDrafts('');
  tab.set('owner', owner);
  change();
}

// takeCode takes a code out of the address and out of the history.
function takeCode() {
  const found = /^#\/in\/([\w-]+)$/.exec(location.hash);
  if (!found) return '';
  history.replaceState(null, '', '#/sessions');
  return found[1];
}

// useCode changes a code for a token. Who is signed in already is asked first.
/** @param {string} code */
async function useCode(code) {
  const before = auth().authorization;
  try {
    const made = await post('api/page/token', { code, stay: false }, { bare: true, as: '' });
    if (before && !(await ask({ title: `Sign in as ${name(made.actor)}?`, text: 'You are signed in already. The new sign-in takes its place.', action: 'Sign in' }))) {
      await remove('api/page/token', { bare: true, as: made.token });
      return;
    }
    setToken(made.token, false);
  } catch (err) {
    failed(err);
  }
}

/** @param {string | undefined} actor */
const name = (actor) => (actor ?? '').replace(/^key:/, '');

// askForKey shows the form until a key is accepted. What was open stays below it.
async function askForKey() {
  await state.held;
  const before = state.me?.owner;
  const first = !auth().authorization || state.signIn === 'key' && !state.me;
  await dialog('Sign in', (close) => [keyForm(close, first)], { stays: true });
  state.signIn = 'key'; // a server that had no keys may have one now
  await whoAmI();
  if (!before || before === state.me?.owner) return;
  location.reload();
  await new Promise(() => {}); // what waited for the sign-in was another owner's, and is not done
}

let trouble = '';
let busy = false;

/** @param {(value: any) => void} close @param {boolean} first */
function keyForm(close, first) {
  const submit = async (/** @type {any} */ event) => {
    event.preventDefault();
    const form = event.currentTarget;
    [busy, trouble] = [true, ''];
    change();
    const stay = form.elements.stay.checked;
    const problem = await exchange(form.elements.key.value.trim(), stay);
    busy = false;
    if (problem) { trouble = problem; form.elements.key.select(); change(); return; }
    form.reset();
    close(true);
  };
  return h('form', { onsubmit: submit, class: 'form' },
    h('p', null, first
      ? 'This server asks for a key. “hermes page” in a terminal on its machine opens this page signed in; “hermes keys create NAME” makes a key.'
      : 'The sign-in has ended, or its key was revoked. Nothing that you have typed is lost.'),
    h('label', null, 'Key', h('input', { name: 'key', type: 'password', autocomplete: 'current-password', required: true, 'aria-describedby': 'key-trouble', spellcheck: 'false' })),
    h('p', { id: 'key-trouble', class: 'bad', role: 'alert' }, trouble),
    h('label', { class: 'check' }, h('input', { name: 'stay', type: 'checkbox' }), 'Stay signed in on this device for 30 days'),
    h('div', { class: 'buttons' }, h('button', { class: 'primary', disabled: busy }, 'Sign in')));
}

/** @param {string} key @param {boolean} stay */
async function exchange(key, stay) {
  try {
    if (!/^[\x21-\x7e]+$/.test(key)) return 'This is not a key. A key begins with “hk_”, or is the one that the server was started with.';
    const answer = await send('POST', 'api/page/token', { bare: true, as: key, body: { stay } });
    setToken((await answer.json()).token, stay);
    return '';
  } catch (err) {
    if (!(err instanceof Problem)) return 'The server cannot be reached.';
    return err.status === 401 && !err.foreign ? 'This key is not known. It may be mistyped, or was revoked.' : err.message;
  }
}

async function signOut() {
  await remove('api/page/token', { bare: true }).catch(() => null);
  setToken('', false);
  location.reload();
}

export function foot() {
  const me = state.me;
  const at = kept.get('theme') ?? '';
  return [
    h('p', null, who()),
    me && state.signIn === 'key' && h('button', { class: 'link', onclick: signOut }, 'Sign out'),
    h('label', null, 'Theme ', choice([['', 'as the system'], ['light', 'light'], ['dark', 'dark']], at, setTheme, { value: at })),
  ];
}

function who() {
  if (state.signIn === 'none') return 'No sign-in: open to anybody';
  if (state.signIn === 'development') return 'Development key, this machine only';
  return state.me ? `Signed in as ${name(state.me.actor)}` : 'Not signed in';
}

export function banner() {
  return state.signIn === 'none' && h('p', { class: 'warning' },
    'This server runs with --no-auth: whoever reaches it can read all of this. Nothing can be said under a session id.');
}
