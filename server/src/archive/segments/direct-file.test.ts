import assert from 'node:assert/strict';
import { constants } from 'node:fs';
import { open, readFile, readlink, readdir, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { systemError, temporaryRoot } from '../fixtures/archive-fixture.ts';
import { createDirect, type OpenFile } from './direct-file.ts';
import { bufferBytes, buffersPerWrite, pageBuffers, PageBuffers, pageBytes } from './page-buffers.ts';
import { bufferedFile, ShortWriteError, type WritableFile } from './writable-file.ts';

/** Bytes that differ from those around them. */
const noise = (length: number) =>
  Buffer.from(Uint8Array.from({ length }, (_, index) => index * 31 + (index >> 7)));

const newPath = async (t: TestContext) => join(dirname(await temporaryRoot(t)), 'film.mp4');

/** Writes copies, which are overwritten when the file has taken them, as other frames would overwrite them. */
async function writeOnce(
  file: WritableFile,
  slices: readonly Uint8Array[],
  position: number,
  onTaken?: () => void,
): Promise<void> {
  const copies = slices.map((slice) => Uint8Array.from(slice));
  let taken = 0;
  await file.write(copies, position, () => {
    taken++;
    for (const copy of copies) copy.fill(0xee);
    onTaken?.();
  });
  assert.equal(taken, 1);
}

/** A file starts with the data, after which there is nothing or a `free` box. */
async function assertStartsWith(path: string, data: Uint8Array): Promise<void> {
  const bytes = await readFile(path);
  assert.ok(bytes.subarray(0, data.length).equals(data), `the first ${data.length} bytes`);
  const rest = bytes.subarray(data.length);
  if (rest.length === 0) return;
  assert.equal(rest.readUInt32BE(), rest.length);
  assert.equal(rest.toString('latin1', 4, 8), 'free');
  assert.ok(rest.subarray(8).every((byte) => byte === 0));
}

test('[R10.3] a file that is written past the page cache is complete after each write, and has its own length in the end', async (t) => {
  const path = await newPath(t);
  const edges = [
    1,
    8,
    pageBytes - 9,
    pageBytes - 7,
    pageBytes,
    bufferBytes - 1,
    bufferBytes,
    3 * bufferBytes + 5,
  ];
  const length = fc.oneof(fc.constantFrom(0, ...edges), fc.nat(200_000));
  await fc.assert(
    fc
      .asyncProperty(fc.array(fc.array(length, { maxLength: 5 }), { maxLength: 6 }), async (writes) => {
        const file = await createDirect(path);
        let data = Buffer.alloc(0);
        for (const lengths of writes) {
          const slices = lengths.map(noise);
          const bytes = Buffer.concat(slices);
          await writeOnce(file, slices, data.length);
          await file.sync();
          data = Buffer.concat([data, bytes]);
          await assertStartsWith(path, data);
        }
        await file.close();
        assert.ok((await readFile(path)).equals(data));
      })
      .afterEach(() => rm(path, { force: true })),
    { numRuns: 60 },
  );
});

for (const padding of [1, 2, 7])
  test(`[R10.3] a page that lacks ${padding} bytes is filled by the next write, and a box remains after it`, async (t) => {
    const path = await newPath(t);
    const file = await createDirect(path);
    let data = Buffer.alloc(0);
    for (const bytes of [pageBytes - padding, padding, 1, 7, 2 * pageBytes]) {
      await writeOnce(file, [noise(bytes)], data.length);
      data = Buffer.concat([data, noise(bytes)]);
      await assertStartsWith(path, data);
    }
    await file.close();
    assert.ok((await readFile(path)).equals(data));
  });

test('[R10.3] a write that needs more memory than one may have is done in parts', async (t) => {
  const path = await newPath(t);
  const file = await createDirect(path);
  const slices = [noise(5), noise(2 * buffersPerWrite * bufferBytes), noise(70_000)];
  const data = Buffer.concat(slices);
  await writeOnce(file, slices, 0);
  await assertStartsWith(path, data);
  await file.close();
  assert.ok((await readFile(path)).equals(data));
});

test('[R10.3] a new file has O_DIRECT where the file system knows it', async (t) => {
  const path = await newPath(t);
  const probe = await open(`${path}.probe`, constants.O_RDWR | constants.O_CREAT | constants.O_DIRECT).catch(
    () => undefined,
  );
  await probe?.close();
  const file = await createDirect(path);
  t.after(() => file.close());
  const flags: string[] = [];
  for (const fd of await readdir('/proc/self/fd')) {
    if ((await readlink(`/proc/self/fd/${fd}`).catch(() => '')) !== path) continue;
    flags.push(/flags:\s*(\d+)/.exec(await readFile(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '');
  }
  assert.equal(flags.length, 1);
  assert.equal((parseInt(flags[0] ?? '', 8) & constants.O_DIRECT) !== 0, probe !== undefined);
});

test('[R10.3] an existing file is not overwritten', async (t) => {
  const path = await newPath(t);
  await (await createDirect(path)).close();
  await assert.rejects(createDirect(path), { code: 'EEXIST' });
});

/** Opens files of which those for direct writing are refused, or changed by `direct`. */
const openWith =
  (direct: (handle: FileHandle) => FileHandle): OpenFile =>
  async (path, flags, mode) => {
    const isDirect = typeof flags === 'number';
    const handle = await open(path, isDirect ? 'r+' : flags, mode);
    return isDirect ? direct(handle) : handle;
  };

/** A handle of which the n-th write, from 0, does something else. */
const withWrite = (handle: FileHandle, nth: number, writev: FileHandle['writev']): FileHandle => {
  let count = 0;
  return new Proxy(handle, {
    get: (target, name) => {
      if (name === 'writev' && count++ === nth) return writev;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
};

const refusals: readonly [string, OpenFile][] = [
  [
    'when it is opened',
    openWith(() => {
      throw systemError('EINVAL');
    }),
  ],
  ...[0, 2, 6].map((nth): [string, OpenFile] => [
    `at write ${nth}`,
    openWith((handle) => withWrite(handle, nth, () => Promise.reject(systemError('EINVAL')))),
  ]),
];

for (const [when, openFile] of refusals)
  test(`[R10.3] a file system that refuses to write directly ${when} is written through the page cache`, async (t) => {
    const path = await newPath(t);
    const file = await createDirect(path, openFile);
    let data = Buffer.alloc(0);
    for (const bytes of [5_000, 70_000, 10, 3, 300_000, 2 * buffersPerWrite * bufferBytes]) {
      await writeOnce(file, [noise(bytes)], data.length);
      await file.sync();
      data = Buffer.concat([data, noise(bytes)]);
      await assertStartsWith(path, data);
    }
    await file.close();
    assert.ok((await readFile(path)).equals(data));
  });

/** A handle of which some writes, counted from 0, write only so many bytes. */
const cutShort = (handle: FileHandle, shortBytes: Readonly<Record<number, number>>): FileHandle =>
  Object.entries(shortBytes).reduce(
    (cut, [nth, bytes]) =>
      withWrite(cut, Number(nth), async (slices, position) => {
        const part = Buffer.concat(slices as unknown as Uint8Array[]).subarray(0, bytes);
        const { bytesWritten } = await handle.write(part, 0, part.length, position ?? 0);
        return { bytesWritten, buffers: slices };
      }),
    handle,
  );

const kinds: readonly [
  string,
  (path: string, shortBytes: Record<number, number>) => Promise<WritableFile>,
][] = [
  [
    'past the page cache',
    (path, shortBytes) =>
      createDirect(
        path,
        openWith((handle) => cutShort(handle, shortBytes)),
      ),
  ],
  [
    'through the page cache',
    async (path, shortBytes) => bufferedFile(cutShort(await open(path, 'wx'), shortBytes)),
  ],
];

for (const [how, create] of kinds) {
  for (const short of [0, 100, pageBytes, pageBytes + 904, 2 * pageBytes])
    test(`[R10.4] a write ${how} of which the disk accepts ${short} bytes first is completed`, async (t) => {
      const path = await newPath(t);
      const file = await create(path, { 1: short });
      await writeOnce(file, [noise(5_000)], 0);
      await writeOnce(file, [noise(20_000), noise(7)], 5_000);
      const data = Buffer.concat([noise(5_000), noise(20_000), noise(7)]);
      await assertStartsWith(path, data);
      await file.close();
      assert.ok((await readFile(path)).equals(data));
    });

  test(`[R10.4] a write ${how} fails if the disk accepts no more bytes, and the file is cut where its user wants`, async (t) => {
    const path = await newPath(t);
    const file = await create(path, { 1: 2 * pageBytes, 2: 0 });
    await writeOnce(file, [noise(5_000)], 0);
    await assert.rejects(
      file.write([noise(20_000)], 5_000, () => undefined),
      ShortWriteError,
    );
    await file.truncate(5_000);
    await file.close();
    assert.ok((await readFile(path)).equals(noise(5_000)));
  });
}

test('[R10.3] the memory of what is written past the page cache can be used again while the disk works', async (t) => {
  const path = await newPath(t);
  const isFree = Promise.withResolvers<void>();
  const slow = openWith((handle) =>
    withWrite(handle, 0, async (pages, position) => {
      await isFree.promise;
      return handle.writev(pages, position);
    }),
  );
  const file = await createDirect(path, slow);
  await writeOnce(file, [noise(70_000)], 0, isFree.resolve);
  await file.close();
  assert.ok((await readFile(path)).equals(noise(70_000)));
});

test('[R10.3] after a failed write the file is cut where its user wants, and closing it does nothing else', async (t) => {
  const path = await newPath(t);
  const failing = openWith((handle) => withWrite(handle, 1, () => Promise.reject(systemError('ENOSPC'))));
  const file = await createDirect(path, failing);
  await writeOnce(file, [noise(5_000)], 0);
  await assert.rejects(
    file.write([noise(5_000)], 5_000, () => undefined),
    { code: 'ENOSPC' },
  );
  await file.truncate(3_000);
  await file.close();
  assert.ok((await readFile(path)).equals(noise(5_000).subarray(0, 3_000)));
});

test('[R10.3] writes of many files wait for memory, in their order, and none waits forever', async () => {
  const done: number[] = [];
  const taken: Uint8Array[][] = [];
  const waiting = Array.from({ length: 10 }, (_, index) =>
    pageBuffers.take(buffersPerWrite).then((buffers) => {
      done.push(index);
      taken.push(buffers);
    }),
  );
  while (done.length < waiting.length) {
    await new Promise(setImmediate);
    assert.ok(taken.length > 0 && taken.length <= 2, `${taken.length} at a time`);
    pageBuffers.giveBack(taken.shift() ?? []);
  }
  for (const buffers of taken) pageBuffers.giveBack(buffers);
  assert.deepEqual(
    done,
    waiting.map((_, index) => index),
  );
});

test('[R10.3] a write without memory fails alone, and those after it get theirs', async () => {
  let allocations = 0;
  const buffers = new PageBuffers(() => {
    if (++allocations === 2) throw new RangeError('Array buffer allocation failed');
    return new Uint8Array(bufferBytes);
  });
  const all = await buffers.take(1);
  const [refused, waited] = await Promise.allSettled([
    buffers.take(2 * buffersPerWrite - 1),
    buffers.take(buffersPerWrite),
  ]);
  assert.equal(refused.status, 'rejected');
  assert.equal(waited.status, 'fulfilled');
  buffers.giveBack([...all, ...(waited.status === 'fulfilled' ? waited.value : [])]);
  assert.equal((await buffers.take(2 * buffersPerWrite)).length, 2 * buffersPerWrite);
});
