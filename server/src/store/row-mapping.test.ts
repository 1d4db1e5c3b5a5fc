import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generated } from 'kysely';
import { flagColumn, jsonColumn, rowMapping, type Flag } from './row-mapping.ts';

interface CameraRow {
  id: Generated<number>;
  name: string;
  is_open: Flag;
  time_zone: Generated<string | null>;
  facts: string;
}

interface Camera {
  readonly id: number;
  readonly name: string;
  readonly isOpen: boolean;
  readonly place: { readonly timeZone: string | null };
  readonly facts: { readonly lenses: number };
}

const mapping = rowMapping<CameraRow, Camera>({
  id: 'id',
  name: 'name',
  isOpen: flagColumn('is_open'),
  place: { timeZone: 'time_zone' },
  facts: jsonColumn('facts'),
});
const camera: Camera = {
  id: 7,
  name: 'Gate',
  isOpen: true,
  place: { timeZone: 'Europe/Berlin' },
  facts: { lenses: 2 },
};
const row = { id: 7, name: 'Gate', is_open: 1, time_zone: 'Europe/Berlin', facts: '{"lenses":2}' } as const;

test('a row is mapped to a domain object and back', () => {
  assert.deepEqual(mapping.row(camera), row);
  assert.deepEqual(mapping.read(row), camera);
});

test('members that are absent or undefined leave their columns unchanged, null is written', () => {
  assert.deepEqual(mapping.columns({ isOpen: false, name: undefined }), { is_open: 0 });
  assert.deepEqual(mapping.columns({ place: {} }), {});
  assert.deepEqual(mapping.columns({ place: { timeZone: null } }), { time_zone: null });
});

test('a flag is read whatever type the driver returns for it', () => {
  const isOpen = (stored: unknown) => mapping.read({ ...row, is_open: stored as Flag }).isOpen;
  assert.deepEqual([1, 1n, '1', true].map(isOpen), [true, true, true, true]);
  assert.deepEqual([0, 0n, '0', false].map(isOpen), [false, false, false, false]);
});
