import { isUid, placeOf, startMsOf } from '../segments/segments.ts';

/** The key of a segment's object and its components (design/s3-tier.md, "Where things are"). */
export class ObjectKeys {
  /** Prefix of all keys of this node. */
  readonly root: string;

  /** `prefix`: empty, or ends with a slash. */
  constructor(prefix: string, node: string) {
    this.root = `${prefix}${node}/`;
  }

  get marker(): string {
    return `${this.root}vidette-archive.json`;
  }

  /** @throws RangeError when `uid` is not a uid */
  of(uid: string, startTicks: number): string {
    if (!isUid(uid)) throw new RangeError(`not a uid: ${JSON.stringify(uid)}`);
    const { day, name } = placeOf(startTicks);
    return `${this.root}${uid}/${day}/${name}`;
  }

  /** Undefined if the key is not that of a segment. */
  parse(key: string): { readonly uid: string; readonly startMs: number } | undefined {
    if (!key.startsWith(this.root)) return undefined;
    const [uid = '', day = '', name = '', more] = key.slice(this.root.length).split('/');
    const startMs = more === undefined && isUid(uid) ? startMsOf(day, name) : undefined;
    return startMs === undefined ? undefined : { uid, startMs };
  }
}
