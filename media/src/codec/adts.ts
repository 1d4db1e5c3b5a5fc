/** ADTS framing of AAC: ISO/IEC 14496-3 clause 1.A.2.2. */
import { MalformedError } from '../malformed.ts';
import { AAC_SAMPLE_RATES, buildAacConfig } from './aac.ts';

const HEADER_BYTES = 7;
const CRC_BYTES = 2;

export interface AdtsFrame {
  /** AudioSpecificConfig equivalent to the header. */
  readonly config: Uint8Array;
  /** The raw frame without its header, a view. */
  readonly data: Uint8Array;
  /** Bytes to the next header. */
  readonly frameBytes: number;
}

/**
 * The frame at the start of `bytes`. Returns `undefined` if it is not complete yet.
 * @throws MalformedError if there is no ADTS header, or one that AAC-LC with a single block does not have
 */
export function parseAdtsFrame(bytes: Uint8Array): AdtsFrame | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0] = bytes;
  if (b0 !== 0xff || (b1 & 0xf6) !== 0xf0) throw new MalformedError('no ADTS syncword');
  const headerBytes = HEADER_BYTES + ((b1 & 1) === 0 ? CRC_BYTES : 0);
  const objectType = (b2 >>> 6) + 1;
  if (objectType !== 2) throw new MalformedError(`ADTS with audio object type ${objectType}`);
  const sampleRate = AAC_SAMPLE_RATES[(b2 >>> 2) & 15];
  const channels = ((b2 & 1) << 2) | (b3 >>> 6);
  if (sampleRate === undefined || channels === 0) throw new MalformedError('ADTS without rate or channels');
  const frameBytes = ((b3 & 3) << 11) | (b4 << 3) | (b5 >>> 5);
  if (frameBytes <= headerBytes) throw new MalformedError(`ADTS frame of ${frameBytes} bytes`);
  if ((b6 & 3) !== 0) throw new MalformedError('ADTS frame with several blocks');
  if (bytes.length < frameBytes) return undefined;
  return {
    config: buildAacConfig(sampleRate, channels === 7 ? 8 : channels),
    data: bytes.subarray(headerBytes, frameBytes),
    frameBytes,
  };
}
