import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScrollPositions } from './scroll-positions.ts';

/** The storage of a tab. */
function newStorage(text: string | null = null) {
  return { getItem: () => text, setItem: (_: string, value: string) => void (text = value) };
}

test('two documents of a tab share the positions without overwriting each other’s', () => {
  const storage = newStorage();
  const one = new ScrollPositions(storage);
  const other = new ScrollPositions(storage);
  one.set('a', 3000);
  other.set('b', 700);
  one.set('a', 4500);
  assert.deepEqual(
    ['a', 'b', 'c'].map((id) => other.get(id)),
    [4500, 700, undefined],
  );
});

test('in a long history the entries left longest ago are dropped', () => {
  const positions = new ScrollPositions(newStorage());
  for (let n = 0; n < 100; n++) positions.set(`${n}`, n);
  positions.set('0', 5);
  positions.set('next', 6);
  assert.deepEqual(
    ['0', '1', '2', 'next'].map((id) => positions.get(id)),
    [5, undefined, 2, 6],
  );
});

test('what another program stored is ignored', () => {
  for (const text of ['{', '7', 'null', '[["a"],[1,2],["a","b"],3]']) {
    const positions = new ScrollPositions(newStorage(text));
    assert.equal(positions.get('a'), undefined, text);
    positions.set('a', 1);
    assert.equal(positions.get('a'), 1, text);
  }
});
