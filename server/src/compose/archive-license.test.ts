import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calls } from '@vidette/contract/calls';
import type { Call } from '@vidette/contract/call';
import type { CallName } from '@vidette/contract/routes';
import type { Registrar } from '../http/registrar.ts';
import { composeApplication, type ApplicationParts } from './application.ts';
import { registerRoutes, type RouteServices } from './routes.ts';

type AnyHandler = (context: unknown) => unknown;

/** Stands in for any value: every member of it, and what it returns when called, is itself. */
const anything: unknown = new Proxy(() => anything, {
  get: (_, member) =>
    member === 'then' ? undefined : member === Symbol.iterator ? () => [][Symbol.iterator]() : anything,
  apply: () => anything,
});

/** Calls that read figures about the archive for its administrators, and nothing that was recorded. */
const figuresOnly: readonly CallName[] = ['getArchiveLoss', 'getHealth'];

/**
 * The names of the calls whose handlers read the archive or one of its packages, determined by running every
 * one of them.
 */
async function readersOfArchive(): Promise<Set<CallName>> {
  let current: CallName | undefined;
  const readers = new Set<CallName>();
  const watched = (members?: readonly string[]) =>
    new Proxy(
      {},
      {
        get: (_, member) => {
          const isRead = members === undefined || members.includes(String(member));
          if (isRead && current) readers.add(current);
          return isRead ? () => Promise.reject(new Error('read')) : () => anything;
        },
      },
    );
  const streams = [{ uid: 'a', name: 'a' }];
  const rights = { view: true, archive: true, edit: true };
  const stream = { stream: { uid: 'a', name: 'a' }, rights };
  const found = { id: 1, userId: 1, streams, uid: 'a', ...stream, has: () => true };
  const table = new Proxy({}, { get: () => () => Promise.resolve(found) });
  const annotations = watched(['ofStream']);
  const span = { startMs: 0, endMs: 1, openKey: null };
  const entry = { id: 1, kind: 'motion', uid: 'a', streamName: 'a', ...span, detail: {} };
  const journal = new Proxy({}, { get: () => () => Promise.resolve({ items: [entry], next: null }) });
  const store = new Proxy(
    {},
    {
      get: (_, name) =>
        name === 'annotations'
          ? annotations
          : name === 'journal'
            ? journal
            : name === 'secret'
              ? new Uint8Array(32)
              : table,
    },
  );
  const continuity = { below: () => [{ uid: 'a', share: 0 }] };
  const localArchive = { continuity, health: { retention: {} } };
  const parts = new Proxy(
    {},
    {
      get: (_, name) => {
        if (name === 'archiveReader') return watched();
        if (name === 'changeSearches') return watched(['search']);
        if (name === 'footageHolds') return watched(['list']);
        if (name === 'exports') return watched(['add', 'addDigest', 'retry', 'package']);
        if (name === 'store') return store;
        if (name === 'transcoding') return { gop: (_: unknown, read: () => unknown) => read() };
        if (name === 'config') return { session: { days: 1 }, archive: { playlistMaxSeconds: 1 }, app: {} };
        if (name === 'clock') return { wallMs: () => 0, monotonicMs: () => 0 };
        if (name === 'archive') return localArchive;
        return anything;
      },
    },
  );
  const handlers = new Map<CallName, AnyHandler>();
  const registrar = {
    handle: (name: CallName, handler: AnyHandler) => handlers.set(name, handler),
    handleSocket: (name: CallName, handler: AnyHandler) => handlers.set(name, handler),
  };
  const application = composeApplication(parts as ApplicationParts);
  const services = new Proxy(application, {
    get: (made, name) => made[name as keyof typeof made] ?? parts[name as keyof typeof parts],
  });
  registerRoutes(registrar as unknown as Registrar, services as unknown as RouteServices);
  assert.deepEqual(new Set(handlers.keys()), new Set(Object.keys(calls)));
  const principal = {
    user: { id: 1, login: 'a', isAdmin: true },
    isAdmin: true,
    by: { kind: 'session', id: 'a' },
  };
  const query = {
    time: 1,
    start_time: 0,
    end_time: 1,
    from: 0,
    to: 1,
    entry_seconds: 0,
    streamId: 'a',
    width: 1,
  };
  const body = { streams: ['a'], startTime: 0, endTime: 1, name: '', timeZone: 'UTC', language: 'en' };
  const params = { uid: 'a', file: '1.mp4', id: 1 };
  for (const [name, handler] of handlers) {
    current = name;
    const request = { headers: {}, cookies: {}, url: '/' };
    const context = {
      principal,
      query,
      body,
      params,
      request,
      stream,
      audit: {},
      ip: '::1',
      reply: anything,
    };
    try {
      await handler(context);
    } catch {
      // Only the members it reached count: most handlers expect more of their services than this.
      continue;
    }
  }
  return readers;
}

test('[R6.9] every call whose handler reads the archive needs a license, and no other does', async () => {
  const readers = await readersOfArchive();
  const needing = (Object.keys(calls) as CallName[]).filter((name) => (calls[name] as Call).needsLicense);
  assert.deepEqual([...readers].toSorted(), [...needing, ...figuresOnly].toSorted());
});
