import { type ObjectStorageOptions, ObjectKeys } from '../archive/object-storage/object-storage.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../config/schema.ts';
import { S3ObjectStore } from './s3-object-store.ts';

/** The configured bucket, for callers that open the archive; empty when none is configured. */
export function objectStorageOptionsOf(
  { s3, node }: Pick<Config, 's3' | 'node'>,
  clock: Clock,
): { readonly remote?: ObjectStorageOptions } {
  const { bucket, accessKeyId, secretAccessKey } = s3;
  if (bucket === null || accessKeyId === null || secretAccessKey === null) return {};
  const store = new S3ObjectStore({
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
  return { remote: { store, keys: new ObjectKeys(prefix, node.id), atOnce: s3.concurrency } };
}
