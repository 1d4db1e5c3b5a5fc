import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '@vidette/contract/entities';
import { routes } from '@vidette/contract/routes';
import { auditActions } from './audit-actions.ts';
import { auditCsv } from './audit-csv.ts';
import { auditSearch } from './audit-search.ts';

const entry: AuditEntry = {
  id: 1,
  time: Date.UTC(2026, 10, 21, 6, 5, 4),
  user: 'nina',
  ip: '192.0.2.1',
  action: 'addStream',
  target: 'Gate "2", north',
  outcome: 'ok',
  details: {},
};

test('[R7.47] entries become lines that every spreadsheet can read', () => {
  assert.equal(
    auditCsv([entry, { ...entry, user: null, target: '=1+1', details: { keys: ['a'] } }]),
    'time,user,ip,action,target,outcome,details\r\n' +
      '2026-11-21T06:05:04.000Z,nina,192.0.2.1,addStream,"Gate ""2"", north",ok,\r\n' +
      '2026-11-21T06:05:04.000Z,,192.0.2.1,addStream,\'=1+1,ok,"{""keys"":[""a""]}"\r\n',
  );
});

test('[R7.47] the filter is parsed from the address, and invalid values are ignored', () => {
  assert.deepEqual(auditSearch({ user: ' nina ', action: '', from: 5, to: 'x', other: 1 }), {
    user: 'nina',
    from: 5,
  });
  assert.deepEqual(auditSearch({ user: 42, target: {}, to: -1 }), { user: '42' });
});

test('[R7.47] every call that changes something has a text', () => {
  const names = Object.entries(routes).flatMap(([name, { method }]) => (method === 'GET' ? [] : [name]));
  const known: readonly string[] = auditActions;
  assert.deepEqual(
    names.filter((name) => !known.includes(name)),
    [],
  );
});
