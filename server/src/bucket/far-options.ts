import type { FarOptions } from '../archive/far-archive.ts';
import { FarKeys } from '../archive/far-keys.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../config/schema.ts';
import { Bucket } from './bucket.ts';

/** The bucket that the configuration names, for whoever opens the archive; empty when it names none. */
export function farOptionsOf(
  { s3, node }: Pick<Config, 's3' | 'node'>,
  clock: Clock,
): { readonly far?: FarOptions } {
  const { bucket, accessKeyId, secretAccessKey } = s3;
  if (bucket === null || accessKeyId === null || secretAccessKey === null) return {};
  const store = new Bucket({
    endpoint: s3.endpoint ?? undefined,
    region: s3.region,
    bucket,
    accessKeyId,
    secretAccessKey,
    pathStyle: s3.pathStyle,
    bytesPerSecond: s3.bytesPerSecond ?? undefined,
    clock,
  });
  const prefix = s3.prefix === null ? '' : `${s3.prefix}/`;
  return { far: { store, keys: new FarKeys(prefix, node.id), atOnce: s3.concurrency } };
}
