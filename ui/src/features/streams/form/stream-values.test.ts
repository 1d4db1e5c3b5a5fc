import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamToAdd } from '@vidette/contract/calls/streams';
import { en } from '../../../i18n/en/all.ts';
import { I18n } from '../../../i18n/i18n.ts';
import { depthChoices, isLowerDepth } from './depths.ts';
import { bodyOf, emptyValues, sourceProblem, suggestedName } from './stream-values.ts';

const i18n = new I18n('en', en);

test('a completed form is valid input for the call', () => {
  const body = bodyOf({ ...emptyValues, name: ' Gate 2 ', streamSource: ' rtsp://192.0.2.1/live ' });
  assert.deepEqual(StreamToAdd.parse(body), body);
  assert.equal(body.name, 'Gate 2');
  assert.equal(body.streamSource, 'rtsp://192.0.2.1/live');
});

test('a stream that connects only when watched is not recorded', () => {
  const body = bodyOf({ ...emptyValues, live: { onDemand: true } });
  assert.equal(body.archive?.isEnable, false);
});

test('[R8.11] an address without an allowed scheme is refused at its field, without a request', () => {
  assert.equal(sourceProblem('rtsp://192.0.2.1/', i18n), null);
  assert.equal(sourceProblem('DEMO:', i18n), null);
  assert.equal(sourceProblem('  ', i18n), en['stream.source.missing']);
  for (const source of ['file:///etc/passwd', '192.0.2.1/live', 'exec:ls', 'rtspx://a']) {
    assert.match(sourceProblem(source, i18n) ?? '', /^The address must start with one of rtsp:/, source);
  }
});

test('a name is suggested from the address, without the login', () => {
  assert.equal(suggestedName('rtsp://admin:secret@gate-2.lan:554/live', 'Demo'), 'gate-2.lan');
  assert.equal(suggestedName('rtsp://[2001:db8::1]/live', 'Demo'), '[2001:db8::1]');
  assert.equal(suggestedName('demo:', 'Demo'), 'Demo');
  assert.equal(suggestedName('nonsense', 'Demo'), '');
});

test('the depths offered are within the server’s limit and include the current one', () => {
  assert.deepEqual(
    depthChoices(100, 168, i18n).map(({ value }) => value),
    ['-1', '24', '72', '100', '168'],
  );
  assert.equal(depthChoices(-1, -1, i18n).find(({ value }) => value === '168')?.label, '7 days');
});

test('a depth without a limit is the highest', () => {
  const pairs = [
    [24, 72],
    [24, -1],
    [72, 24],
    [-1, 24],
    [-1, -1],
    [24, 24],
  ] as const;
  assert.deepEqual(
    pairs.map(([hours, than]) => isLowerDepth(hours, than)),
    [true, true, false, false, false, false],
  );
});
