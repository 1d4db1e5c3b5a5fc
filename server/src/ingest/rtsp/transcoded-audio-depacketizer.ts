import { MpegAudioDepacketizer } from '@vidette/media/rtp/mpeg-audio';
import type { RtpPacket } from '@vidette/media/rtp/packet';
import type { AudioTrack } from '@vidette/media/track';
import type { Sample } from '@vidette/media/sample';
import type { TrackDeclarer } from '@vidette/media/track-declarer';
import type { SourceAudioCodec } from '../../ffmpeg/protocol.ts';
import type { AudioTranscoder, AudioTranscoderOptions } from '../../ffmpeg/audio-transcoder.ts';
import type { Fault } from '../../base/fault.ts';
import type { ChosenMedia } from './media-choice.ts';
import type { PayloadDepacketizer } from './payload-type-switch.ts';
import type { RtpReceiver } from './rtp-receiver.ts';

/** Opens a transcoder; throws a Fault if none is available. */
export type TranscodeAudio = (options: AudioTranscoderOptions) => AudioTranscoder;

export interface TranscodedAudioDepacketizerOptions {
  readonly trackId: number;
  readonly media: ChosenMedia;
  readonly receiver: RtpReceiver;
  readonly declarer: TrackDeclarer<Sample>;
  readonly convert: TranscodeAudio;
  readonly note: (message: string) => void;
}

/** Bytes of one channel per tick of the RTP clock, for encodings where it is constant (RFC 3551, 4.5). */
const bytesOfTick: Readonly<Record<string, number>> = { pcmu: 1, pcma: 1, g722: 1, l16: 2 };

/** A transcoder that fails repeatedly is no longer used. */
const maxFailures = 3;

/** G.711 and similar codecs, transcoded to AAC elsewhere. Timestamps pass through the transcoder unchanged. */
export class TranscodedAudioDepacketizer implements PayloadDepacketizer {
  readonly malformedPayloads = 0;
  readonly #options: TranscodedAudioDepacketizerOptions;
  /** Unpacks packets that contain more than samples. */
  readonly #mpegAudio: MpegAudioDepacketizer | undefined;
  #converter: AudioTranscoder | undefined;
  /** As declared, once its parameters are known. */
  #track: AudioTrack | undefined;
  #failures = 0;
  #lastTicks = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** @throws Fault when no transcoder is available */
  constructor(options: TranscodedAudioDepacketizerOptions) {
    this.#options = options;
    if (options.media.encoding === 'mpa')
      this.#mpegAudio = new MpegAudioDepacketizer((bytes, timestamp) => this.#write(bytes, timestamp));
    this.#converter = this.#open();
  }

  push(packet: RtpPacket): void {
    const { bytes, payloadStart, payloadEnd, timestamp } = packet;
    if (payloadStart === payloadEnd) return;
    if (this.#mpegAudio) this.#mpegAudio.push(packet);
    else this.#write(bytes.slice(payloadStart, payloadEnd), timestamp);
  }

  #write(bytes: Uint8Array, timestamp: number): void {
    const { receiver } = this.#options;
    const { encoding, format } = this.#options.media;
    const tickBytes = bytesOfTick[encoding];
    const recordedTicks =
      tickBytes === undefined ? 0 : bytes.length / tickBytes / Math.max(1, format.channels);
    const ticks = receiver.timing.mapGrowing(receiver.unwrap(timestamp), receiver.arrivalMs, recordedTicks);
    this.#converter?.write(bytes, ticks);
  }

  resume(): void {
    if (this.#track) this.#options.declarer.setTrack(this.#track);
  }

  close(): void {
    this.#isClosed = true;
    this.#converter?.close();
    this.#converter = undefined;
  }

  #open(): AudioTranscoder {
    const { trackId, media, receiver, declarer, convert } = this.#options;
    const { clockRate, channels } = media.format;
    return convert({
      codec: media.encoding as SourceAudioCodec,
      // The clock of G.722 is half its sampling rate, a historical mistake that was kept (RFC 3551, 4.5.2).
      sampleRate: media.encoding === 'g722' ? clockRate * 2 : clockRate,
      clockRate,
      channels,
      onTrack: (track) => {
        if (this.#isClosed) return;
        this.#track = { ...track, id: trackId };
        declarer.setTrack(this.#track);
      },
      onFrame: (frame, ptsTicks) => {
        if (this.#isClosed) return;
        this.#lastTicks = Math.max(ptsTicks, this.#lastTicks + 1);
        const dts = this.#lastTicks;
        const sample = {
          trackId,
          dts,
          pts: dts,
          isKey: true,
          isDamaged: false,
          data: [frame],
          size: frame.length,
        };
        declarer.audio(sample, receiver.arrivalMs);
      },
      onFailed: (fault) => this.#onFailed(fault),
    });
  }

  #onFailed(fault: Fault): void {
    this.#converter = undefined;
    if (this.#isClosed) return;
    this.#failures++;
    this.#options.note(`Transcoding of the audio failed: ${fault.message}`);
    if (this.#failures >= maxFailures) return;
    this.#converter = this.#open();
  }
}
