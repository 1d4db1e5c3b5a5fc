/**
 * Moves old segments to a bucket and reads them there (design/s3-tier.md). It knows no S3: `ObjectStore` is the
 * interface of any bucket. A local file is deleted only after its object has been verified; if a bucket fails,
 * only its own footage is unavailable.
 */
export {
  ObjectStorage,
  type ObjectStorageOptions,
  type ObjectStorageStatus,
  warnWithoutObjectStorage,
} from './configured-storage.ts';
export { partBytes, wholeMaxBytes } from './object-digest.ts';
export { ObjectKeys } from './object-keys.ts';
export { corrupted, ObjectReader } from './object-reader.ts';
export { digestOf, factsOf } from './object-segment.ts';
export { ObjectStorageTier, readRemoteMarker, withoutTier } from './object-storage-tier.ts';
export {
  type ObjectStore,
  ObjectStoreError,
  type ObjectStoreTrouble,
  type ObjectSummary,
} from './object-store.ts';
