import { MalformedError } from '@vidette/media/malformed';
import { RtpPacket } from '@vidette/media/rtp/packet';
import { parseRtcp } from '@vidette/media/rtp/rtcp';
import { header, parseInterleaved, parseSession } from '@vidette/media/rtsp/message';
import { Fault } from '../../base/fault.ts';
import type { SourceSink } from '../source.ts';
import { SourceTiming } from '../timing.ts';
import { AudioReader, soundFormat } from './audio-reader.ts';
import type { RtspConnection } from './connection.ts';
import { ConvertedAudioReader, type ConvertAudio } from './converted-audio-reader.ts';
import { refuseUnlessOk } from './handshake.ts';
import { isConverted, type ChosenMedia, type MediaChoice } from './media-choice.ts';
import { Receiver } from './receiver.ts';
import { TrackGate } from './track-gate.ts';
import { VideoReader } from './video-reader.ts';

export interface MediaSetupOptions {
  readonly choice: MediaChoice;
  readonly sink: SourceSink;
  readonly convertAudio: ConvertAudio | undefined;
  /** All tracks said that they end (RTCP BYE). */
  readonly onGoodbye: () => void;
}

/** What an interleaved channel carries. */
interface Channel {
  readonly receiver: Receiver;
  readonly isControl: boolean;
}

const videoTimescale = 90_000;
/** Of a session whose server names none, s (RFC 2326, 12.37). */
const defaultTimeoutSeconds = 60;

/** Sets the chosen media up on a connection and receives them. It owns the receivers. */
export class MediaSetup {
  /** Those that were set up. */
  readonly receivers: Receiver[] = [];
  readonly #opened: Receiver[] = [];
  readonly #options: MediaSetupOptions;
  readonly #gate: TrackGate;
  readonly #timing = new SourceTiming();
  /** By interleaved channel number. */
  readonly #channels: (Channel | undefined)[] = [];
  readonly #packet = new RtpPacket();

  constructor(options: MediaSetupOptions) {
    this.#options = options;
    const kinds = options.choice.media.map(({ kind }) => kind);
    this.#gate = new TrackGate(options.sink, {
      video: kinds.includes('video'),
      audio: kinds.includes('audio'),
    });
  }

  /**
   * SETUP of every medium; sound beside a picture may fail. Packets are taken from here on, for servers are known to
   * send some before the reply to PLAY.
   *
   * @returns after how many silent seconds the server forgets the session
   */
  async perform(connection: RtspConnection): Promise<number> {
    connection.onPacket = this.#onPacket.bind(this);
    let timeoutSeconds: number | undefined;
    for (const [index, media] of this.#options.choice.media.entries()) {
      const receiver = this.#open(media, index + 1);
      if (!receiver) continue;
      this.#opened.push(receiver);
      const asked = { rtp: index * 2, rtcp: index * 2 + 1 };
      const transport = `RTP/AVP/TCP;unicast;interleaved=${asked.rtp}-${asked.rtcp}`;
      const response = await connection.request('SETUP', media.uri, [['Transport', transport]]);
      if (media.kind === 'audio' && this.receivers.length > 0 && response.status >= 300) {
        receiver.close();
        this.#leaveSoundOut(`the camera answered ${response.status}`);
        continue;
      }
      refuseUnlessOk(response, 'SETUP');
      this.receivers.push(receiver);
      const given = parseInterleaved(header(response, 'transport') ?? '') ?? asked;
      this.#channels[given.rtp] = { receiver, isControl: false };
      this.#channels[given.rtcp] = { receiver, isControl: true };
      const session = header(response, 'session');
      if (session === undefined || timeoutSeconds !== undefined) continue;
      const parsed = parseSession(session);
      connection.setSession(parsed.id);
      timeoutSeconds = parsed.timeoutSeconds;
    }
    if (this.receivers.length === 0)
      throw new Fault('ProbeError', 'The camera offers nothing that can be used.');
    return timeoutSeconds ?? defaultTimeoutSeconds;
  }

  /** Idempotent. */
  close(): void {
    for (const receiver of this.#opened) receiver.close();
  }

  /** The receiver of one medium; undefined for sound that is left out. */
  #open(media: ChosenMedia, trackId: number): Receiver | undefined {
    const { convertAudio: convert, sink } = this.#options;
    const { encoding, format, kind } = media;
    const gate = this.#gate;
    const note = (message: string) => sink.note(message);
    const open = (timescale: number) =>
      new Receiver(format.payloadType, this.#timing.addTrack(format.clockRate, timescale), (packets) =>
        sink.lost(packets),
      );
    if (kind === 'video') {
      const receiver = open(videoTimescale);
      receiver.setReader(new VideoReader({ trackId, encoding, format, receiver, gate, note }));
      return receiver;
    }
    try {
      if (isConverted(encoding)) {
        if (!convert) throw new Fault('ProbeError', 'there is no converter for it');
        const receiver = open(format.clockRate);
        receiver.setReader(new ConvertedAudioReader({ trackId, media, receiver, gate, convert, note }));
        return receiver;
      }
      const sound = soundFormat(media, trackId);
      const receiver = open(sound.track.timescale);
      receiver.setReader(new AudioReader(sound, receiver, gate));
      return receiver;
    } catch (error) {
      if (!(error instanceof MalformedError || error instanceof Fault)) throw error;
      this.#leaveSoundOut(error.message);
      return undefined;
    }
  }

  #leaveSoundOut(reason: string): void {
    this.#gate.expectNoAudio();
    this.#options.sink.note(`The sound is left out: ${reason}`);
  }

  #onPacket(number: number, bytes: Uint8Array, start: number, end: number, arrivalMs: number): void {
    const channel = this.#channels[number];
    if (!channel) return;
    if (channel.isControl) this.#onControl(channel.receiver, bytes.subarray(start, end));
    else if (this.#packet.read(bytes, start, end)) channel.receiver.push(this.#packet, arrivalMs);
  }

  #onControl(receiver: Receiver, bytes: Uint8Array): void {
    const { report, isGoodbye } = parseRtcp(bytes);
    if (report) receiver.report(report);
    if (!isGoodbye) return;
    receiver.hasSaidGoodbye = true;
    if (this.receivers.every((one) => one.hasSaidGoodbye)) this.#options.onGoodbye();
  }
}
