import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TunnelStatus } from '@vidette/contract/tunnel';
import { Fault } from '../base/fault.ts';
import { RelayFailure } from './relay-failure.ts';
import { TunnelService } from './tunnel-service.ts';

/** A tunnel with one location, `RU`, whose relay may refuse it. */
function scene(failureReason: string | null = null) {
  let location: string | null = null;
  const service = new TunnelService({
    tunnel: {
      async start(code = 'RU') {
        if (code !== 'RU') throw new Fault('NotFound', 'No such location is configured.');
        location = code;
      },
      async stop() {
        location = null;
      },
      status: async () => ({ location, failureReason }) as TunnelStatus,
    },
  });
  return { service, note: { target: null as string | null } };
}

test('[R7.48] the log contains the location that was opened, even the default one, and the one that was closed', async () => {
  const { service, note } = scene();
  assert.equal((await service.start(undefined, 'en', note)).location, 'RU');
  assert.equal(note.target, 'RU');
  const stopped = { target: null };
  assert.equal((await service.stop('en', stopped)).location, null);
  assert.equal(stopped.target, 'RU');
  await service.stop('en', stopped);
  assert.equal(stopped.target, null);
});

test('[R7.48] a location that is not configured is refused, and still recorded as the subject of the call', async () => {
  const { service } = scene();
  const note = { target: 'XX' };
  await assert.rejects(service.start('XX', 'en', note), { code: 'NotFound' });
  assert.equal(note.target, 'XX');
});

test('the reason for a failure is in the reader’s language', async () => {
  const { message } = new RelayFailure('unlicensed', 'The license does not allow a tunnel.');
  const { service } = scene(message);
  assert.equal((await service.status('en')).failureReason, message);
  assert.match((await service.status('ru')).failureReason ?? '', /[а-я]/);
});
