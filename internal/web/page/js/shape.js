// Shapes in which several screens show things: tables, pairs, headings, and who said a thing.
import { part } from './api.js';
import { h } from './dom.js';
import { number } from './words.js';

/** grid is a table that scrolls in itself. @param {string} label @param {any[]} heads @param {Kid} rows */
export const grid = (label, heads, rows) => h('div', { class: 'across', tabindex: 0, role: 'group', 'aria-label': label }, h('table', { class: 'grid' },
  h('thead', null, h('tr', null, heads.filter(Boolean).map((t) => (t.tag === 'th' ? t : h('th', { scope: 'col' }, t))))), h('tbody', null, rows)));

/** pairs are names with what they stand for, where there is something. @param {[string, Kid][]} rows */
export const pairs = (rows) => h('dl', { class: 'pairs' }, rows.filter(([, v]) => v).map(([k, v]) => [h('dt', null, k), h('dd', null, v)]));

/** head is the heading of a screen, with the way back to a place on small ones. @param {string} back @param {Kid} title @param {...Kid} more */
export const head = (back, title, ...more) => h('header', { class: 'head' }, back && h('a', { class: 'back', href: `#/${back}` }, '‹ Back'), h('h1', null, title), more);

/** who said a thing: a name, or the role. @param {string} role @param {string} [name] */
export const who = (role, name) => name || (role === 'user' ? 'you' : role === 'assistant' ? 'answer' : role);

/** place leads to a message. @param {string} session @param {number} seq @param {string} [more] */
export const place = (session, seq, more = '') => h('a', { href: `#/sessions/${part(session)}/${seq}` }, `message ${number(seq)}${more}`);
