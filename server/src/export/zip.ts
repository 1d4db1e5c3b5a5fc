/**
 * The few records of a ZIP whose entries are stored uncompressed (APPNOTE.TXT 6.3.10; ZIP64 where a number
 * needs it). Names are UTF-8; times are UTC, because a package is read in places other than where it was
 * created.
 */
export interface ZipEntry {
  readonly name: string;
  readonly bytes: number;
  /** CRC-32 of the content. */
  readonly crc: number;
  /** Where its local header begins. */
  readonly offset: number;
  readonly timeMs: number;
}

const most32 = 0xffff_ffff;
const most16 = 0xffff;
const utf8Names = 0x0800;
const versionPlain = 20;
const versionZip64 = 45;
/** Upper byte of "version made by": Unix, so file modes follow. */
const madeByUnix = 3 << 8;
const regularFile = 0o100_644;

/** Offset of the CRC in a local header: it is written later, because it is only known after the content. */
export const localCrcPosition = 14;

/** 4.3.7. */
export function localHeader(entry: ZipEntry): Buffer {
  const name = Buffer.from(entry.name);
  const isLarge = entry.bytes >= most32;
  const extra = isLarge ? zip64Extra([entry.bytes, entry.bytes]) : Buffer.alloc(0);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x0403_4b50, 0);
  head.writeUInt16LE(isLarge ? versionZip64 : versionPlain, 4);
  head.writeUInt16LE(utf8Names, 6);
  head.writeUInt32LE(dosTime(entry.timeMs), 10);
  head.writeUInt32LE(entry.crc, localCrcPosition);
  head.writeUInt32LE(Math.min(entry.bytes, most32), 18);
  head.writeUInt32LE(Math.min(entry.bytes, most32), 22);
  head.writeUInt16LE(name.length, 26);
  head.writeUInt16LE(extra.length, 28);
  return Buffer.concat([head, name, extra]);
}

/**
 * Central directory and end records: everything after the last entry, which ends at `offset` (4.3.12 to
 * 4.3.16).
 */
export function centralDirectory(entries: readonly ZipEntry[], offset: number): Buffer {
  const records = Buffer.concat(entries.map(centralHeader));
  const isLarge =
    entries.length >= most16 ||
    records.length >= most32 ||
    offset >= most32 ||
    entries.some((entry) => entry.bytes >= most32);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(Math.min(entries.length, most16), 8);
  end.writeUInt16LE(Math.min(entries.length, most16), 10);
  end.writeUInt32LE(Math.min(records.length, most32), 12);
  end.writeUInt32LE(Math.min(offset, most32), 16);
  if (!isLarge) return Buffer.concat([records, end]);
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x0606_4b50, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeUInt16LE(madeByUnix | versionZip64, 12);
  end64.writeUInt16LE(versionZip64, 14);
  end64.writeBigUInt64LE(BigInt(entries.length), 24);
  end64.writeBigUInt64LE(BigInt(entries.length), 32);
  end64.writeBigUInt64LE(BigInt(records.length), 40);
  end64.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x0706_4b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + records.length), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([records, end64, locator, end]);
}

/** 4.3.12. */
export function centralHeader(entry: ZipEntry): Buffer {
  const name = Buffer.from(entry.name);
  const large: number[] = [];
  if (entry.bytes >= most32) large.push(entry.bytes, entry.bytes);
  if (entry.offset >= most32) large.push(entry.offset);
  const extra = large.length > 0 ? zip64Extra(large) : Buffer.alloc(0);
  const version = large.length > 0 ? versionZip64 : versionPlain;
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x0201_4b50, 0);
  head.writeUInt16LE(madeByUnix | version, 4);
  head.writeUInt16LE(version, 6);
  head.writeUInt16LE(utf8Names, 8);
  head.writeUInt32LE(dosTime(entry.timeMs), 12);
  head.writeUInt32LE(entry.crc, 16);
  head.writeUInt32LE(Math.min(entry.bytes, most32), 20);
  head.writeUInt32LE(Math.min(entry.bytes, most32), 24);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt16LE(extra.length, 30);
  head.writeUInt32LE((regularFile << 16) >>> 0, 38);
  head.writeUInt32LE(Math.min(entry.offset, most32), 42);
  return Buffer.concat([head, name, extra]);
}

/** 4.5.3. */
function zip64Extra(values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  return extra;
}

/** Resolution two seconds, from 1980 on (4.4.6). */
function dosTime(timeMs: number): number {
  const date = new Date(Math.max(timeMs, Date.UTC(1980, 0, 1)));
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}
