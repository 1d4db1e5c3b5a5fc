import { z } from 'zod';
import { gapCauses } from '@vidette/contract/constants';

/** Names of the entries of a package next to the footage. */
export const manifestName = 'manifest.json';
export const signatureName = 'manifest.sig';
export const checkPageName = 'verify.html';
/** The file that is copied into packages under that name. */
export const checkPageFile = new URL('./verify.html', import.meta.url);

/** Files are also hashed in blocks, so that a browser can verify one without keeping it in memory. */
export const blockBytes = 16 * 1024 * 1024;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const ms = z.int().min(0);
const gap = z.object({ startTime: ms, endTime: ms, cause: z.enum(gapCauses) });

const ManifestFile = z.object({
  /** Path in the package, with `/`. */
  name: z.string().min(1).max(500),
  bytes: z.int().min(1),
  sha256: hash,
  /** SHA-256 of each block of `blockBytes`. */
  blocks: z.array(hash),
  /** Start of its first frame and end of its last, ms since the epoch. */
  startTime: ms,
  endTime: ms,
  /** Playback duration: gaps inside are closed. */
  durationMs: z.number(),
});

/**
 * What a package says about itself: what was requested, delivered and missing. The signature covers the exact
 * bytes of its file, with Ed25519 (RFC 8032); times are ms since the epoch.
 */
export const Manifest = z.object({
  format: z.literal('vidette-export/1'),
  /** The product and the node that created it. */
  version: z.string(),
  node: z.string(),
  createdTime: ms,
  createdBy: z.string(),
  name: z.string(),
  asked: z.object({ startTime: ms, endTime: ms }),
  blockBytes: z.int().min(1),
  /** The raw key of 32 bytes, base64. */
  publicKey: z.string(),
  /** The page that verifies the package in a browser; earlier packages do not reference it. */
  checkPage: z.object({ bytes: z.int().min(1), sha256: hash }).optional(),
  streams: z.array(
    z.object({ uid: z.string(), name: z.string(), files: z.array(ManifestFile), gaps: z.array(gap) }),
  ),
});

type ManifestFile = z.infer<typeof ManifestFile>;
export type Manifest = z.infer<typeof Manifest>;
