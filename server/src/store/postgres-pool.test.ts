import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseError } from 'pg';
import { Fault } from '../base/fault.ts';
import { faultOfPostgres } from './postgres-pool.ts';

function refused(code: string): DatabaseError {
  return Object.assign(new DatabaseError('refused', 0, 'error'), { code });
}

test('an unreachable database is Unavailable; a rejected statement keeps its error', () => {
  const broken = ['EPIPE', 'ECONNREFUSED', 'ENOENT'].map((code) => Object.assign(new Error(code), { code }));
  const away = [refused('57P01'), refused('08006'), refused('53300'), refused('28P01'), refused('3D000')];
  for (const error of [...broken, ...away, new Error('timeout exceeded when trying to connect')]) {
    const fault = faultOfPostgres(error);
    assert.ok(fault instanceof Fault && fault.code === 'Unavailable', error.message);
    assert.equal(fault.cause, error);
  }
  for (const code of ['23505', '23503', '22003', '42601']) {
    const error = refused(code);
    assert.equal(faultOfPostgres(error), error, code);
  }
});
