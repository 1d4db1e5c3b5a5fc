import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scrollBack } from './scroll.ts';

/** A window over a screen of the given height; it scrolls as far as possible. */
function setUp(heightPx: number) {
  const state = { heightPx, scrollY: 0, scrolls: 0, ends: 0 };
  const listeners = new Map<string, () => void>();
  let grow = () => {};
  const end = (top: number) =>
    scrollBack(top, {
      view: {
        get scrollY() {
          return state.scrollY;
        },
        scrollTo({ top: wanted }) {
          state.scrolls += 1;
          state.scrollY = Math.max(0, Math.min(wanted, state.heightPx - 800));
        },
        addEventListener: (name, listener) => void listeners.set(name, listener),
        removeEventListener: (name) => void listeners.delete(name),
      },
      onGrowth: (listener) => {
        grow = listener;
        return () => (grow = () => {});
      },
      onEnd: () => void state.ends++,
    });
  const growTo = (to: number) => {
    state.heightPx = to;
    grow();
  };
  return { state, end, growTo, listeners };
}

test('a screen that is long enough is scrolled immediately, and one that is at the top is not scrolled', () => {
  const { state, end, growTo } = setUp(5000);
  end(3000);
  assert.equal(state.scrollY, 3000);
  growTo(9000);
  assert.equal(state.scrolls, 1);
  const other = setUp(5000);
  other.end(0);
  assert.equal(other.state.scrolls, 0);
  assert.equal(other.state.ends, 1);
});

test('a list that is still loading is scrolled further as it grows', () => {
  const { state, end, growTo, listeners } = setUp(800);
  end(3000);
  assert.equal(state.scrollY, 0);
  growTo(2000);
  assert.equal(state.scrollY, 1200);
  assert.equal(state.ends, 0);
  growTo(6000);
  assert.equal(state.scrollY, 3000);
  state.scrollY = 100;
  growTo(7000);
  assert.equal(state.scrollY, 100);
  assert.equal(listeners.size, 0);
  assert.equal(state.ends, 1);
});

test('scrolling stops when the user scrolls or leaves', () => {
  for (const how of ['wheel', 'keydown', 'touchstart', 'left']) {
    const { state, end, growTo, listeners } = setUp(800);
    const leave = end(3000);
    if (how === 'left') leave();
    else listeners.get(how)?.();
    growTo(6000);
    assert.equal(state.scrollY, 0, how);
    assert.equal(state.ends, how === 'left' ? 0 : 1, how);
  }
});
