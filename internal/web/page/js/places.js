// The places of the page: what they are called, which scope they need, and their modules.
import { open as sessions } from './sessions.js';
import { can } from './store.js';

/** @type {Place[]} */
export const places = [
  { id: 'sessions', name: 'Sessions', scope: 'sessions:read', key: 's', open: sessions },
  { id: 'memory', name: 'Memory', scope: 'memory', key: 'm', open: async () => (await import('./memory.js')).open() },
  { id: 'jobs', name: 'Jobs', scope: 'jobs', key: 'j', open: async () => (await import('./jobs.js')).open() },
  { id: 'runs', name: 'Runs', scope: 'chat', key: 'r', open: async () => (await import('./runs.js')).open() },
  { id: 'search', name: 'Search', scope: 'sessions:read', minor: true, open: async () => (await import('./search.js')).open() },
  { id: 'cost', name: 'Cost', scope: 'sessions:read', key: 'c', minor: true, open: async () => (await import('./cost.js')).open() },
  { id: 'keys', name: 'Keys', scope: 'admin', minor: true, open: async () => new (await import('./server.js')).Keyring() },
  { id: 'audit', name: 'Audit', scope: 'admin', minor: true, open: async () => new (await import('./server.js')).Audit() },
  { id: 'health', name: 'Health', scope: 'admin', minor: true, open: async () => new (await import('./server.js')).Health() },
  { id: 'settings', name: 'Settings', scope: '', minor: true, open: async () => (await import('./settings.js')).open() },
  { id: 'more', name: 'More', scope: '', hidden: true, open: async () => (await import('./settings.js')).openMore() },
];

/** @param {string} id */
export const place = (id) => places.find((p) => p.id === id);

/** @param {Place} p */
export const allowed = (p) => p.scope === '' || can(p.scope);
