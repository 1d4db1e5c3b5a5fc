/**
 * Assembles frames from RTP payloads of NAL units: where one picture ends and the next begins, the effects of
 * loss, and which units a sample contains. The differences between the two codecs are in `NalRules`, see
 * `h264.ts` and `h265.ts`.
 *
 * A picture ends at the marker bit, at a new timestamp, or where another picture's first slice begins (cameras
 * forget the marker, set it on every packet, or send two frames with the same timestamp). Parameter sets are
 * kept separately and omitted from the samples, because the track's record contains them. Access unit
 * delimiters and filler are dropped; supplemental information stays, because decoders or users may need it.
 */
import { annexBToNals } from '../codec/nal.ts';
import { MalformedError } from '../malformed.ts';
import { AccessUnitBuilder, maxUnitBytes, type AccessUnit } from './access-unit.ts';
import { BytePile } from './byte-pile.ts';
import type { RtpPacket } from './packet.ts';
import { ParameterSets } from './parameter-sets.ts';

/** `at` is where the NAL unit's header begins in `bytes`. */
export interface NalRules {
  typeAt(bytes: Uint8Array, at: number): number;
  isSlice(type: number): boolean;
  isKey(type: number): boolean;
  isFirstSlice(bytes: Uint8Array, at: number): boolean;
  isParameterSet(type: number): boolean;
  /** The identifier in a parameter set; throws `MalformedError`. */
  parameterSetId(nal: Uint8Array, type: number): number;
  isDropped(type: number): boolean;
  /** A unit of this type, if slices came before it, belongs to the next picture. */
  beginsPicture(type: number): boolean;
  /** Splits one payload by calling `single`, `aggregated` and `fragment`. */
  unpack(packet: RtpPacket, target: NalDepacketizer): void;
}

/** Limit for supplemental information and the like: larger units are invalid. */
const maxSmallUnitBytes = 256 * 1024;

export class NalDepacketizer {
  readonly parameters = new ParameterSets();
  /** Number of malformed payloads. */
  malformedPayloads = 0;
  readonly #rules: NalRules;
  readonly #onUnit: (unit: AccessUnit) => void;
  readonly #builder = new AccessUnitBuilder();
  /** State of the picture being received; undefined between two. */
  #timestamp: number | undefined;
  #isKey = false;
  #isDamaged = false;
  /** Something is missing before this picture: the end of the previous one, or complete frames. */
  #isGapCarried = false;
  #isMarkerTrusted = true;
  #endedByMarkerAt: number | undefined;
  /** A fragmented unit that is not a slice, as far as it has arrived; undefined if none is open. */
  #openSmall: BytePile | undefined;

  constructor(rules: NalRules, onUnit: (unit: AccessUnit) => void) {
    this.#rules = rules;
    this.#onUnit = onUnit;
  }

  /**
   * Takes the next packet.
   *
   * @param lost packets missing before it
   */
  push(packet: RtpPacket, lost: number): void {
    if (lost > 0) {
      this.#dropFragment();
      if (this.#timestamp !== undefined) this.#isDamaged = true;
    }
    if (this.#timestamp !== undefined && packet.timestamp !== this.#timestamp) {
      this.#dropFragment();
      this.#finish();
    }
    if (lost > 0 && this.#timestamp === undefined) this.#isGapCarried = true;
    this.#timestamp = packet.timestamp;
    if (packet.payloadStart < packet.payloadEnd) this.#rules.unpack(packet, this);
    if (this.#builder.size > maxUnitBytes) this.#giveUp();
    if (!packet.isMarker || !this.#isMarkerTrusted || !this.#builder.hasSlice) return;
    if (this.#builder.isOpen) {
      // A marker in the middle of a unit: this camera sets it on every packet.
      this.#isMarkerTrusted = false;
      return;
    }
    this.#finish();
    this.#endedByMarkerAt = packet.timestamp;
  }

  /** Takes an out-of-band parameter set, as from the session description. */
  addParameterSets(nal: Uint8Array): void {
    this.#small(nal);
  }

  /** For `NalRules.unpack`: a complete unit in `bytes` from `start` to `end`. */
  single(bytes: Uint8Array, start: number, end: number): void {
    this.#closeFragment();
    const type = this.#rules.typeAt(bytes, start);
    if (!this.#rules.isSlice(type)) {
      this.#small(bytes.subarray(start, end));
    } else if (this.#beginSlice(bytes, start, type)) {
      this.#builder.add(bytes, start, end, true);
    }
  }

  /**
   * For `NalRules.unpack`: a piece of a unit.
   * @param start for the first piece: where the unit's header has been written; for others: where the payload
   * begins
   */
  fragment(bytes: Uint8Array, start: number, end: number, isFirst: boolean, isLast: boolean): void {
    if (isFirst) {
      this.#closeFragment();
      const type = this.#rules.typeAt(bytes, start);
      if (!this.#rules.isSlice(type)) {
        this.#openSmall = new BytePile(maxSmallUnitBytes);
        this.#addSmall(bytes, start, end);
      } else if (this.#beginSlice(bytes, start, type)) {
        this.#builder.open(bytes, start, end, true);
      }
    } else if (this.#builder.isOpen) {
      this.#builder.append(bytes, start, end);
    } else if (this.#openSmall) {
      this.#addSmall(bytes, start, end);
    } else {
      // Its beginning was lost, which has been noted, or the camera omitted it.
      this.#isDamaged = true;
    }
    if (isLast) this.#endFragment();
  }

  /** For `NalRules.unpack`: units separated by start codes (Annex B), which some cameras send in RTP. */
  byteStream(bytes: Uint8Array): void {
    this.#closeFragment();
    this.#small(bytes);
  }

  /** For `NalRules.unpack`: the payload is invalid. */
  malformed(): void {
    this.malformedPayloads++;
    this.#isDamaged = true;
  }

  #endFragment(): void {
    const small = this.#openSmall;
    this.#openSmall = undefined;
    this.#builder.close();
    if (small) this.#small(small.take());
  }

  /** One that never ends is dropped: its later fragments then have no beginning. */
  #addSmall(bytes: Uint8Array, start: number, end: number): void {
    if (this.#openSmall?.add(bytes, start, end)) return;
    this.#openSmall = undefined;
    this.malformed();
  }

  /** A new unit begins although the last fragment of the previous one never arrived. */
  #closeFragment(): void {
    if (this.#dropFragment()) this.malformed();
  }

  #dropFragment(): boolean {
    const wasOpen = this.#builder.isOpen || this.#openSmall !== undefined;
    this.#builder.abandon();
    this.#openSmall = undefined;
    return wasOpen;
  }

  /** Prepares for a slice; false if it has to be dropped. */
  #beginSlice(bytes: Uint8Array, at: number, type: number): boolean {
    const isFirst = this.#rules.isFirstSlice(bytes, at);
    if (isFirst && this.#builder.hasSlice) this.#split();
    if (
      !isFirst &&
      !this.#builder.hasSlice &&
      this.#endedByMarkerAt !== undefined &&
      this.#endedByMarkerAt === this.#timestamp &&
      !this.#isDamaged
    ) {
      // The rest of a picture that was considered complete: this camera sets the marker on every packet. From
      // now on only timestamps count, at the cost of one picture's delay.
      this.#isMarkerTrusted = false;
      return false;
    }
    if (!isFirst && !this.#builder.hasSlice) this.#isDamaged = true;
    this.#isKey ||= this.#rules.isKey(type);
    return true;
  }

  /**
   * Handles a unit that is not a slice. Some cameras put several into one, separated by start codes (Annex B).
   */
  #small(nal: Uint8Array): void {
    if (!hasStartCode(nal)) {
      if (nal.length <= maxSmallUnitBytes) this.#sort(nal);
      else this.malformed();
      return;
    }
    const framed = new Uint8Array(nal.length + 3);
    framed[2] = 1;
    framed.set(nal, 3);
    for (const unit of annexBToNals(framed)) {
      const type = this.#rules.typeAt(unit, 0);
      if (!this.#rules.isSlice(type)) this.#sort(unit);
      else if (this.#beginSlice(unit, 0, type)) this.#builder.add(unit, 0, unit.length, true);
    }
  }

  #sort(nal: Uint8Array): void {
    const type = this.#rules.typeAt(nal, 0);
    if (this.#builder.hasSlice && this.#rules.beginsPicture(type)) this.#split();
    if (this.#rules.isParameterSet(type)) {
      this.#keep(nal, type);
    } else if (!this.#rules.isDropped(type)) {
      this.#builder.add(nal, 0, nal.length, false);
    }
  }

  #keep(nal: Uint8Array, type: number): void {
    try {
      this.parameters.put(type, this.#rules.parameterSetId(nal, type), nal);
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      this.malformedPayloads++;
    }
  }

  #giveUp(): void {
    this.#dropFragment();
    this.#builder.take(0, false, true);
    this.#isKey = false;
    this.malformed();
  }

  /** Another picture begins within the packet, or with the same timestamp. */
  #split(): void {
    const timestamp = this.#timestamp;
    this.#finish();
    this.#timestamp = timestamp;
  }

  #finish(): void {
    const isKey = this.#isKey;
    // A key frame that is complete itself can be decoded, whatever is missing before it.
    const isDamaged = this.#isDamaged || (this.#isGapCarried && !isKey);
    const unit = this.#builder.take(this.#timestamp ?? 0, isKey, isDamaged);
    this.#isGapCarried = unit === undefined && isDamaged;
    this.#timestamp = undefined;
    this.#isKey = false;
    this.#isDamaged = false;
    if (unit) this.#onUnit(unit);
  }
}

function hasStartCode(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(1, 2); at !== -1; at = bytes.indexOf(1, at + 1)) {
    if (bytes[at - 1] === 0 && bytes[at - 2] === 0) return true;
  }
  return false;
}
