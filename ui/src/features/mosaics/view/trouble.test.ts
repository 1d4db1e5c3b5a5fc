import assert from 'node:assert/strict';
import { test } from 'node:test';
import { en } from '../../../i18n/en/all.ts';
import { I18n } from '../../../i18n/i18n.ts';
import { ru } from '../../../i18n/ru/all.ts';
import { troubleOf } from './trouble.ts';

const running = {
  uid: 'gate',
  name: 'Gate',
  canArchive: true,
  status: 'running' as const,
  failureReason: null,
  live: { onDemand: true },
  node: { id: 'main', available: true },
};

test('each state of a stream has its own text on its tile, in both languages', () => {
  for (const i18n of [new I18n('en', en), new I18n('ru', ru)]) {
    const said = [
      troubleOf({ ...running, status: 'paused' }, i18n),
      troubleOf({ ...running, status: 'disabled' }, i18n),
      troubleOf({ ...running, status: 'pending' }, i18n),
      troubleOf({ ...running, status: 'failed' }, i18n),
      troubleOf({ ...running, node: { id: 'north', available: false } }, i18n),
      i18n.t('wall.source'),
      i18n.t('wall.network'),
      i18n.t('wall.forbidden'),
      i18n.t('wall.forbidden.archive'),
      i18n.t('wall.deleted'),
      i18n.t('wall.pictures.busy'),
      i18n.t('wall.pictures.off'),
      i18n.t('wall.pictures.failed'),
    ];
    assert.ok(said.every((words) => words !== undefined && words !== ''));
    assert.equal(new Set(said).size, said.length);
    assert.equal(troubleOf(running, i18n), undefined);
    const reason = 'No frames for 10 seconds.';
    assert.equal(troubleOf({ ...running, status: 'failed', failureReason: reason }, i18n), reason);
  }
});
