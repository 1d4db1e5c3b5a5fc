import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mosaic, Preferences, Profile, settingsToSave, type AuditEntry } from '@vidette/contract/entities';
import { ruleSettings } from '@vidette/contract/notifications';
import { routes } from '@vidette/contract/routes';
import { en } from '../../i18n/en/all.ts';
import { I18n } from '../../i18n/i18n.ts';
import { ru } from '../../i18n/ru/all.ts';
import { auditActions } from './audit-actions.ts';
import { auditCsv } from './audit-csv.ts';
import { fieldText, valueText } from './audit-fields.ts';
import { auditFilter } from './audit-logs-api.ts';
import { auditSearch } from './audit-search.ts';
import { sentenceOf, textOfSentence } from './audit-sentence.ts';

const entry: AuditEntry = {
  id: 1,
  time: Date.UTC(2026, 10, 21, 6, 5, 4),
  user: 'nina',
  ip: '192.0.2.1',
  action: 'addStream',
  target: 'Gate "2", north',
  targetName: null,
  outcome: 'ok',
  details: {},
  isMachine: false,
};

test('[R7.47] entries become lines that every spreadsheet can read', () => {
  assert.equal(
    auditCsv([entry, { ...entry, user: null, target: '=1+1', details: { keys: ['a'] } }]),
    'time,user,ip,action,target,targetName,outcome,details\r\n' +
      '2026-11-21T06:05:04.000Z,nina,192.0.2.1,addStream,"Gate ""2"", north",,ok,\r\n' +
      '2026-11-21T06:05:04.000Z,,192.0.2.1,addStream,\'=1+1,,ok,"{""keys"":[""a""]}"\r\n',
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

const english = new I18n('en', en);
const russian = new I18n('ru', ru);

function said(changes: Partial<AuditEntry>, i18n = english): string {
  return textOfSentence(sentenceOf({ ...entry, ...changes }, i18n));
}

test('[R7.47] an entry is a sentence with the names of then, in both languages', () => {
  const stream = { action: 'deleteStream', target: 'k3m9x2q7w5ab', targetName: 'Gate 2' };
  assert.equal(said(stream), 'nina deleted the stream Gate 2');
  assert.equal(said(stream, russian), 'nina: удалён поток Gate 2');
  assert.equal(said({ ...stream, targetName: null }), 'nina deleted the stream k3m9x2q7w5ab');
  assert.equal(
    said({ ...stream, outcome: 'Forbidden' }),
    'nina: the action “Stream deleted” failed · Gate 2',
  );
  assert.equal(said({ action: 'somethingNew' }), 'nina: somethingNew');
  assert.equal(
    said({ ...stream, action: 'watchShared', user: null }),
    'A visitor watched Gate 2 through its public link',
  );
  assert.equal(said({ ...stream, isMachine: true }), 'nina (by a program) deleted the stream Gate 2');
  assert.equal(said({ action: 'addUser', target: null }), 'nina: User added');
  const parts = sentenceOf({ ...entry, ...stream }, english);
  assert.deepEqual(parts.at(-1), { text: 'Gate 2', filter: { target: 'k3m9x2q7w5ab' } });
});

test('[R7.47] a sentence says which streams were added, removed or permitted, and a new name', () => {
  const details = {
    changes: { k1: [['view'], null], k2: [['view', 'archive'], null] },
    names: { k1: 'Gate 2', k2: 'Yard' },
  };
  const rights = { action: 'saveUserPermissions', target: 'guards', details };
  assert.equal(said(rights), 'nina removed Gate 2, Yard from guards');
  const given = { ...details, changes: { k1: [null, ['view']] } };
  assert.equal(said({ ...rights, details: given }), 'nina gave guards access to Gate 2');
  assert.equal(
    said({ ...rights, details: given }, russian),
    'nina: пользователю guards открыт доступ к Gate 2',
  );
  const changed = { ...details, changes: { k1: [['view'], ['view', 'edit']] } };
  assert.equal(said({ ...rights, details: changed }), 'nina changed the permissions of guards');
  assert.equal(
    said({
      action: 'saveStreamPermissions',
      target: 'k1',
      targetName: 'Gate 2',
      details: { changes: { guard: [['view'], null] } },
    }),
    'nina removed Gate 2 from guard',
  );
  const mosaic = { action: 'saveMosaic', target: '4', targetName: 'Guards' };
  const many = { removed: ['A', 'B', 'C', 'D', 'E'] };
  assert.equal(said({ ...mosaic, details: many }), 'nina removed A, B, C and 2 others from Guards');
  assert.equal(said({ ...mosaic, details: { ...many, added: ['F'] } }), 'nina changed the mosaic Guards');
  const renamed = { changes: { name: ['Guards', 'Night'] } };
  assert.equal(said({ ...mosaic, details: renamed }), 'nina renamed Guards to Night');
});

test('[R7.47] what programs did is left out, unless it is asked for', () => {
  assert.deepEqual(auditFilter({ user: 'nina' }), { user: 'nina', onlyPeople: true });
  assert.deepEqual(auditFilter(auditSearch({ machines: true })), { onlyPeople: false });
  assert.deepEqual(auditFilter({ action: 'watchStills' }), { action: 'watchStills', onlyPeople: false });
});

test('[R7.47] every member that a change may name is told as its form calls it', () => {
  const fixed = new Set(['id', 'meta', 'createdBy', 'createdAt', 'lastSeenTime', 'isManaged', 'preferences']);
  const settings = ['streamSource', ...Object.keys(settingsToSave)];
  const paths: readonly [string, readonly string[]][] = [
    ['saveStream', settings],
    ['saveProfile', Object.keys(Profile.shape)],
    ['saveProfile', Object.keys(Preferences.shape).map((name) => `preferences.${name}`)],
    ['saveMosaic', Object.keys(Mosaic.shape)],
    ['saveRule', Object.keys(ruleSettings)],
  ];
  for (const i18n of [english, russian])
    for (const [action, members] of paths)
      for (const path of members.filter((one) => !fixed.has(one)))
        assert.ok(fieldText(path, { action, details: {} }, i18n), `${action}: ${path}`);
  const ofRule = { action: 'saveRule', details: {} };
  assert.equal(fieldText('schedule.timeZone', ofRule, english), en['rule.scheduled']);
  assert.equal(fieldText('name', { action: 'saveUser', details: {} }, english), 'Login');
  assert.equal(fieldText('somethingNew', { action: 'saveStream', details: {} }, english), undefined);
});

test('[R7.47] values are told as their forms show them, and not as they are stored', () => {
  const told = (value: unknown, path: string, i18n = english) => valueText(value, path, 'saveStream', i18n);
  assert.equal(told(168, 'archive.depthHours'), '7 days');
  assert.equal(told(-1, 'archive.depthHours', russian), 'Пока есть место');
  assert.equal(told(0, 'archive.farAfterHours'), 'As soon as a file is complete');
  assert.equal(told(true, 'live.onDemand'), 'yes');
  assert.equal(told('ru', 'language'), 'Русский');
  assert.equal(told('admin', 'permissionType'), 'Administrator');
  assert.equal(told(0, 'maxStreamCreation'), 'None, view only');
  assert.equal(told(['yard', 'gate'], 'tags'), 'yard, gate');
  assert.equal(told(null, 'note'), 'none');
  assert.equal(valueText(['view', 'archive'], 'k1', 'saveUserPermissions', english), 'View, Archive');
  assert.equal(valueText(8080, 'port', 'saveConfiguration', english), '8080');
});
