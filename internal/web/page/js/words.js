// Times, numbers and texts as people read them.

// Characters that are not seen but change what is: controls, and those that turn the
// direction of a text round.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** @param {string} text */
export function visible(text) {
  if (text.search(hidden) < 0) return text;
  return text.replace(/\r\n/g, '\n').replace(hidden, (c) => `[U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`);
}

const grouped = new Intl.NumberFormat('en-GB');

/** @param {number} n */
export const number = (n) => grouped.format(n);

/** @param {number} n @param {string} one @param {string} [many] */
export const plural = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

/** @param {number} n */
export function bytes(n) {
  if (n < 1000) return plural(n, 'byte');
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = n / 1000;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) { size /= 1000; unit++; }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

/** @typedef {string | number | Date | null | undefined} Time */

let ahead = 0; // milliseconds by which the server's clock is ahead of this computer's

/** now is the time by the server's clock: all times on the page come from it. */
export const now = () => Date.now() + ahead;

/** setClock takes the server's time from the header of an answer, which has whole seconds. @param {string | null} date */
export function setClock(date) {
  const off = new Date(date ?? NaN).getTime() + 500 - Date.now();
  if (Math.abs(off - ahead) > 5000) ahead = Math.abs(off) > 5000 ? off : 0;
}

/** @param {Intl.DateTimeFormatOptions} options */
const format = (options) => new Intl.DateTimeFormat('en-GB', options);
/** @type {Intl.DateTimeFormatOptions} */
const shortDay = { day: 'numeric', month: 'short', year: 'numeric' };
const dayFormat = format(shortDay);
const utcFormat = format({ ...shortDay, timeZone: 'UTC' });
const longDay = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const clockFormat = format({ hour: '2-digit', minute: '2-digit' });
const monthFormat = format({ month: 'long', year: 'numeric' });
const exactFormat = format({ ...shortDay, hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' });

/** @param {Time} t */
const date = (t) => new Date(t ?? NaN);
/** @param {Intl.DateTimeFormat} f @returns {(t: Time) => string} */
const by = (f) => (t) => (Number.isNaN(date(t).getTime()) ? '' : f.format(date(t)));

export const day = by(dayFormat);
/** utcDay is a day of which the server says when it begins: such days are those of UTC. */
export const utcDay = by(utcFormat);
export const weekday = by(longDay);
export const clock = by(clockFormat);
export const month = by(monthFormat);
export const exact = by(exactFormat);

/** @param {Time} t */
export const dayClock = (t) => (day(t) ? `${day(t)}, ${clock(t)}` : '');

/**
 * ago is a time in relation to now.
 * @param {Time} t
 */
export function ago(t) {
  const then = date(t).getTime();
  if (Number.isNaN(then)) return '';
  const seconds = Math.round((now() - then) / 1000);
  if (Math.abs(seconds) < 45) return seconds >= 0 ? 'just now' : 'in a moment';
  for (const [unit, size, most] of /** @type {[string, number, number][]} */ ([['minute', 60, 60], ['hour', 3600, 24], ['day', 86400, 7]])) {
    const n = Math.round(Math.abs(seconds) / size);
    if (n < most) return seconds > 0 ? `${plural(n, unit)} ago` : `in ${plural(n, unit)}`;
  }
  return day(t);
}

/** @param {Time} from @param {Time} to */
export const span = (from, to) => dayFormat.formatRange(date(from), date(to));

/** days are the days of UTC from a time to another, at which they are over. @param {Time} from @param {Time} to */
export const days = (from, to) => utcFormat.formatRange(date(from), date(to).getTime() - 1);

/**
 * inZone is a time as another zone's clocks show it.
 * @param {Time} t @param {string} zone
 */
export function inZone(t, zone) {
  try {
    return format({ ...shortDay, weekday: 'short', hour: '2-digit', minute: '2-digit', timeZone: zone }).format(date(t));
  } catch {
    return exact(t);
  }
}

// startOf and endOf are the first and the last moment of a day, in the zone of whoever looks.
/** @param {string | undefined} date */
export const startOf = (date) => date && new Date(`${date}T00:00:00`).toISOString();
/** @param {string} date */
export const endOf = (date) => date && new Date(`${date}T23:59:59.999`).toISOString();

export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @param {number} ms */
export function wait(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000));
  if (s < 60) return plural(s, 'second');
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

/** @param {number} ms */
export const took = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** @param {string} a @param {string} b */
export function same(a, b) {
  /** @param {string} text */
  const bare = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  return bare(a) === bare(b);
}

const characters = new Intl.Segmenter('en');

// start is the beginning of a text. It ends between two characters as people see them, of
// which one may be several code points.
/** @param {string} text @param {number} most */
function start(text, most) {
  const next = characters.segment(text).containing(most);
  return text.slice(0, next ? next.index : most);
}

/** @param {string} text @param {number} most */
export const short = (text, most) => (text.length > most ? `${start(text, most - 1).trimEnd()}…` : text);

/**
 * typed is a text as it is compared with what a person has typed: without what cannot be
 * seen, and with single spaces.
 * @param {string} text
 */
export const typed = (text) => text.normalize().replace(/[\p{Cc}\p{Cf}\s]+/gu, (found) => (/\s/.test(found) ? ' ' : '')).trim();

/** toType is what must be typed before a thing goes: its name, or the beginning of a long one. @param {string} name */
export const toType = (name) => start(typed(name), 60).trim() || 'delete';
