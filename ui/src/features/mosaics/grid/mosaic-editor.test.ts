import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '@vidette/contract/constants';
import { MosaicLayout } from '@vidette/contract/entities';
import fc from 'fast-check';
import { cellAt, overlaps } from './grid.ts';
import { MosaicEditor } from './mosaic-editor.ts';
import { emptyLayout, evenLayout, fineGrid, presetNames, presets } from './presets.ts';

const uids = ['gate', 'yard', 'dock', 'roof'];

/** The rules that the server also applies to a layout. */
function assertAudio(layout: MosaicLayout): void {
  MosaicLayout.parse(layout);
  for (const [at, cell] of layout.cells.entries()) {
    assert.ok(
      cell.x + cell.width <= layout.columns && cell.y + cell.height <= layout.rows,
      `cell ${at} leaves`,
    );
    for (const other of layout.cells.slice(at + 1)) {
      assert.ok(other.page !== cell.page || !overlaps(cell, other), `cell ${at} overlaps`);
    }
  }
  for (let page = 0; page < limits.mosaicPagesMax; page++) {
    const tiles = layout.cells.filter((cell) => cell.page === page).length;
    assert.ok(tiles <= limits.mosaicTilesPerPageMax);
  }
}

const field = fc.record({ x: fc.integer({ min: 0, max: 23 }), y: fc.integer({ min: 0, max: 23 }) });
const index = fc.integer({ min: 0, max: 70 });
const size = fc.integer({ min: -3, max: 40 });
const direction = fc.constantFrom([-1, 0] as const, [1, 0] as const, [0, -1] as const, [0, 1] as const);
const preset = fc.constantFrom(...presetNames);
const deed: fc.Arbitrary<(editor: MosaicEditor) => void> = fc.oneof(
  preset.map((name) => (editor: MosaicEditor) => editor.divide(name)),
  fc.tuple(fc.constantFrom(...uids), fc.option(field, { nil: undefined })).map(
    ([uid, at]) =>
      (editor: MosaicEditor) =>
        editor.show(uid, at),
  ),
  fc.tuple(index, field, field).map(
    ([one, at, grip]) =>
      (editor: MosaicEditor) =>
        editor.drop(one, at, grip),
  ),
  fc.tuple(index, direction).map(
    ([one, [dx, dy]]) =>
      (editor: MosaicEditor) =>
        editor.move(one, dx, dy),
  ),
  fc.tuple(index, size, size).map(
    ([one, width, height]) =>
      (editor: MosaicEditor) =>
        editor.resize(one, width, height),
  ),
  index.map((one) => (editor: MosaicEditor) => editor.clear(one)),
  index.map((one) => (editor: MosaicEditor) => editor.choose(one)),
  preset.map((name) => (editor: MosaicEditor) => editor.addPage(name)),
  fc.constant((editor: MosaicEditor) => editor.removePage()),
  fc.integer({ min: 0, max: 3 }).map((page) => (editor: MosaicEditor) => editor.turnTo(page)),
);

const foreign: MosaicLayout = {
  columns: 5,
  rows: 3,
  cells: [
    { x: 0, y: 0, width: 2, height: 3, stream: 'gate', page: 0 },
    { x: 4, y: 1, width: 1, height: 1, stream: null, page: 1 },
  ],
};

test('after any action, cells are inside the grid and do not overlap; undo goes back step by step, and redo forward again', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(emptyLayout('9'), emptyLayout('2+8'), foreign),
      fc.array(deed, { maxLength: 25 }),
      (start, deeds) => {
        const editor = new MosaicEditor(start);
        const seen = [editor.getView().layout];
        for (const act of deeds) {
          act(editor);
          const { layout, chosen, page, pages } = editor.getView();
          assertAudio(layout);
          assert.ok(page < pages && layout.cells.every((cell) => cell.page < pages));
          assert.ok(chosen === undefined || layout.cells[chosen]);
          if (layout !== seen.at(-1)) seen.push(layout);
        }
        const after = seen.at(-1);
        while (editor.getView().canUndo) {
          editor.undo();
          assertAudio(editor.getView().layout);
        }
        assert.deepEqual(editor.getView().layout, seen[0]);
        assert.equal(editor.getView().isChanged, false);
        while (editor.getView().canRedo) editor.redo();
        assert.deepEqual(editor.getView().layout, after);
      },
    ),
    { numRuns: 300 },
  );
});

test('each preset has its tiles and covers the whole grid', () => {
  const counts = { '1': 1, '4': 4, '9': 9, '16': 16, '36': 36, '64': 64, '1+5': 6, '1+7': 8, '2+8': 10 };
  for (const name of presetNames) {
    assert.equal(presets[name].length, counts[name], name);
    assertAudio(emptyLayout(name));
    const fields = presets[name].reduce((sum, { width, height }) => sum + width * height, 0);
    assert.equal(fields, fineGrid * fineGrid, name);
  }
});

test('streams keep their order when a page gets a new division', () => {
  const editor = new MosaicEditor(emptyLayout('4'));
  for (const uid of uids) editor.show(uid);
  editor.divide('1+5');
  const { layout } = editor.getView();
  assert.equal(layout.cells.length, 6);
  assert.deepEqual(
    layout.cells.map(({ stream }) => stream),
    [...uids, null, null],
  );
  assert.equal(layout.cells[0]?.width, 16);
});

test('a stream is placed in the selected cell, then in the next empty one; a dropped stream is placed in the cell under it', () => {
  const editor = new MosaicEditor(emptyLayout('4'));
  editor.choose(2);
  editor.show('gate');
  editor.show('yard');
  assert.deepEqual(
    editor.getView().layout.cells.map(({ stream }) => stream),
    ['yard', null, 'gate', null],
  );
  editor.show('dock', { x: 23, y: 23 });
  assert.equal(editor.getView().layout.cells[3]?.stream, 'dock');
});

test('a tile grows over empty cells and stops at a stream; dragged onto another, it swaps places with it', () => {
  const editor = new MosaicEditor(emptyLayout('9'));
  editor.show('gate');
  editor.show('yard', { x: 23, y: 0 });
  editor.resize(0, 16, 16);
  const at = cellAt(editor.getView().layout, 0, 0, 0);
  assert.deepEqual(editor.getView().layout.cells[at], {
    x: 0,
    y: 0,
    width: 16,
    height: 16,
    stream: 'gate',
    page: 0,
  });
  assert.equal(editor.getView().layout.cells.length, 6);
  const before = editor.getView().layout;
  editor.resize(at, 24, 16);
  assert.equal(editor.getView().layout, before);
  editor.drop(at, { x: 20, y: 4 }, { x: 1, y: 1 });
  assert.equal(editor.getView().layout.cells[cellAt(before, 0, 0, 0)]?.stream, 'yard');
  editor.undo();
  assert.deepEqual(editor.getView().layout, before);
});

test('each page has its own division; when one is removed, the later ones move up', () => {
  const editor = new MosaicEditor(emptyLayout('4'));
  editor.show('gate');
  editor.addPage('9');
  editor.show('yard');
  assert.deepEqual([editor.getView().page, editor.getView().pages], [1, 2]);
  editor.turnTo(0);
  editor.removePage();
  const { layout, page, pages } = editor.getView();
  assert.deepEqual([page, pages], [0, 1]);
  assert.deepEqual(
    layout.cells.filter(({ stream }) => stream !== null).map((cell) => [cell.stream, cell.page]),
    [['yard', 0]],
  );
  assert.equal(layout.cells.length, 9);
});

test('a coarser grid is refined unchanged; one that does not fit stays until a preset is chosen', () => {
  const coarse = {
    columns: 2,
    rows: 2,
    cells: [{ x: 1, y: 0, width: 1, height: 2, stream: 'gate', page: 0 }],
  };
  const editor = new MosaicEditor(coarse);
  assert.deepEqual(editor.getView().layout.cells[0], {
    x: 12,
    y: 0,
    width: 12,
    height: 24,
    stream: 'gate',
    page: 0,
  });
  assert.equal(editor.getView().isChanged, false);
  const other = new MosaicEditor(foreign);
  assert.equal(other.getView().layout, foreign);
  other.divide('4');
  assertAudio(other.getView().layout);
  assert.equal(other.getView().layout.columns, fineGrid);
});

test('streams that are watched together get the smallest even division, in their order', () => {
  for (const [count, tiles] of [
    [1, 1],
    [2, 2],
    [3, 4],
    [5, 6],
    [9, 9],
    [10, 12],
    [64, 64],
  ] as const) {
    const streams = Array.from({ length: count }, (_, at) => `cam${at}`);
    for (const isUpright of [false, true]) {
      const layout = evenLayout(streams, isUpright);
      assertAudio(layout);
      assert.equal(layout.cells.length, tiles, `${count} streams`);
      assert.deepEqual(
        layout.cells.flatMap(({ stream }) => stream ?? []),
        streams,
      );
    }
  }
});

test('two streams are side by side on a wide screen and one above the other on an upright one [R2.12]', () => {
  const placesOf = (isUpright: boolean) =>
    evenLayout(['gate', 'yard'], isUpright).cells.map(({ x, y }) => [x > 0, y > 0]);
  assert.deepEqual(placesOf(false), [
    [false, false],
    [true, false],
  ]);
  assert.deepEqual(placesOf(true), [
    [false, false],
    [false, true],
  ]);
});
