import { MalformedError } from '@vidette/media/malformed';
import type { Sample } from '@vidette/media/sample';
import { TrackDeclarer } from '@vidette/media/track-declarer';
import { TrackSelector } from '@vidette/media/track-selector';
import { RtpPacket } from '@vidette/media/rtp/packet';
import { parseRtcp } from '@vidette/media/rtp/rtcp';
import { header, parseInterleaved, parseSession, type RtspResponse } from '@vidette/media/rtsp/message';
import { staticFormat, type MediaFormat } from '@vidette/media/sdp/session-description';
import { Fault } from '../../base/fault.ts';
import type { SourceSink } from '../source.ts';
import { SourceTiming } from '../timing.ts';
import { AudioDepacketizer, audioFormat } from './audio-depacketizer.ts';
import type { RtspConnection } from './connection.ts';
import { KeyFrameRequester } from './key-frame-requester.ts';
import { TranscodedAudioDepacketizer, type TranscodeAudio } from './transcoded-audio-depacketizer.ts';
import { refuseUnlessOk } from './refusal.ts';
import { isConverted, usableEncoding, type ChosenMedia, type MediaChoice } from './media-choice.ts';
import type { PayloadDepacketizer } from './payload-type-switch.ts';
import { RtpReceiver } from './rtp-receiver.ts';
import { VideoDepacketizer, type SharedDecodeTimes } from './video-depacketizer.ts';

export interface MediaSetupOptions {
  readonly choice: MediaChoice;
  readonly sink: SourceSink;
  readonly transcodeAudio: TranscodeAudio | undefined;
  /** All tracks have ended (RTCP BYE). */
  readonly onGoodbye: () => void;
}

/** The contents of an interleaved channel: one stream, except for servers that put all into the same. */
interface MediaChannel {
  readonly receivers: RtpReceiver[];
  readonly isControl: boolean;
}

/** RTP sends audio as it is recorded: what is missing this long after the first key frame is not sent. */
const audioPatience = { startMs: 400, silentMs: 10_000 };
const videoTimescale = 90_000;
/** Of a session whose server names none, s (RFC 2326, 12.37). */
const defaultTimeoutSeconds = 60;
/** Types below are fixed or reserved (RFC 3551, 6): only from here on do two numbers mean the same. */
const firstDynamicType = 96;

/** Sets the chosen media up on a connection and receives them. It owns the receivers. */
export class MediaSetup {
  /** The media that were set up. */
  readonly receivers: RtpReceiver[] = [];
  readonly #opened: RtpReceiver[] = [];
  readonly #options: MediaSetupOptions;
  readonly #declarer: TrackDeclarer<Sample>;
  readonly #timing = new SourceTiming();
  /** By interleaved channel number, as the server gave them, */
  readonly #channels: (MediaChannel | undefined)[] = [];
  /** and as we asked for them: some servers answer with other numbers than they send on. */
  readonly #asked: (MediaChannel | undefined)[] = [];
  readonly #packet = new RtpPacket();
  readonly #decodeTimes: SharedDecodeTimes = { times: undefined };
  #connection: RtspConnection | undefined;
  #keyRequester: KeyFrameRequester | undefined;
  /** When the packet being read arrived. */
  #arrivalMs = 0;

  constructor(options: MediaSetupOptions) {
    this.#options = options;
    const kinds = options.choice.media.map(({ kind }) => kind);
    const awaiting = (kind: 'video' | 'audio') => {
      options.sink.awaiting(kind);
      if (kind === 'video') this.#keyRequester?.request(this.#arrivalMs);
    };
    const announced = { video: kinds.includes('video'), audio: kinds.includes('audio') };
    const selector = new TrackSelector(announced, audioPatience);
    this.#declarer = new TrackDeclarer({ ...options.sink, awaiting }, selector);
  }

  /**
   * SETUP of every medium; audio beside video may fail. Packets are accepted from here on, because some servers
   * send them before the reply to PLAY.
   *
   * @returns after how many silent seconds the server drops the session
   */
  async perform(connection: RtspConnection): Promise<number> {
    this.#connection = connection;
    connection.onPacket = this.#onPacket.bind(this);
    let timeoutSeconds: number | undefined;
    for (const [index, media] of this.#options.choice.media.entries()) {
      const receiver = this.#open(media, index + 1);
      if (!receiver) continue;
      this.#opened.push(receiver);
      const asked = { rtp: index * 2, rtcp: index * 2 + 1 };
      const response = await setUp(connection, media, asked);
      if (media.kind === 'audio' && this.receivers.length > 0 && response.status >= 300) {
        receiver.close();
        this.#leaveAudioOut(`the camera answered ${response.status}`);
        continue;
      }
      refuseUnlessOk(response, 'SETUP');
      this.receivers.push(receiver);
      const given = parseInterleaved(header(response, 'transport') ?? '') ?? asked;
      this.#assign(given.rtp, receiver, false);
      this.#assign(given.rtcp, receiver, true);
      this.#asked[asked.rtp] = { receivers: [receiver], isControl: false };
      this.#asked[asked.rtcp] = { receivers: [receiver], isControl: true };
      const { keyFrameRequest: kind } = media;
      if (kind)
        this.#keyRequester = new KeyFrameRequester({ connection, receiver, kind, channel: given.rtcp });
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

  /** Video frames arrived, usable or not. */
  get isVideoSeen(): boolean {
    return this.#declarer.isVideoSeen;
  }

  /** Call periodically. @param nowMs `utcMs` */
  look(nowMs: number): void {
    this.#declarer.look(nowMs);
  }

  #assign(number: number, receiver: RtpReceiver, isControl: boolean): void {
    this.#connection?.nameChannel(number);
    const channel = this.#channels[number];
    if (channel?.isControl === isControl) channel.receivers.push(receiver);
    else this.#channels[number] = { receivers: [receiver], isControl };
  }

  /** The receiver of one medium; undefined for skipped audio. */
  #open(media: ChosenMedia, trackId: number): RtpReceiver | undefined {
    const { sink } = this.#options;
    const { format, kind } = media;
    const open = (timescale: number): RtpReceiver => {
      const receiver: RtpReceiver = new RtpReceiver({
        payloadType: format.payloadType,
        timing: this.#timing.addTrack(format.clockRate, timescale),
        onLost: (packets) => sink.lost(packets),
        onPayloadType: (type) => sink.note(`The ${kind} comes with RTP payload type ${type}.`),
        readerOf: (type) => this.#otherReader(media, type, trackId, receiver),
        isListed: (type) => media.formats.some((one) => one.payloadType === type && one.encoding !== ''),
      });
      return receiver;
    };
    if (kind === 'video') {
      const receiver = open(videoTimescale);
      receiver.setReader(this.#videoReader(media, trackId, receiver));
      return receiver;
    }
    try {
      const audio = isConverted(media.encoding) ? undefined : audioFormat(media, trackId);
      const receiver = open(audio?.track.timescale ?? format.clockRate);
      receiver.setReader(
        audio
          ? new AudioDepacketizer(audio, receiver, this.#declarer)
          : this.#convertedReader(media, trackId, receiver),
      );
      return receiver;
    } catch (error) {
      if (!(error instanceof MalformedError || error instanceof Fault)) throw error;
      this.#leaveAudioOut(error.message);
      return undefined;
    }
  }

  #videoReader(
    { encoding, format }: ChosenMedia,
    trackId: number,
    receiver: RtpReceiver,
  ): PayloadDepacketizer {
    const note = (message: string) => this.#options.sink.note(message);
    return new VideoDepacketizer({
      trackId,
      encoding,
      format,
      receiver,
      declarer: this.#declarer,
      shared: this.#decodeTimes,
      note,
    });
  }

  #convertedReader(media: ChosenMedia, trackId: number, receiver: RtpReceiver): PayloadDepacketizer {
    const { transcodeAudio: convert, sink } = this.#options;
    if (!convert) throw new Fault('ProbeError', 'there is no converter for it');
    const note = (message: string) => sink.note(message);
    return new TranscodedAudioDepacketizer({
      trackId,
      media,
      receiver,
      declarer: this.#declarer,
      convert,
      note,
    });
  }

  /**
   * What reads a payload type that this medium was not announced with: one that the description lists or that has a fixed
   * meaning is read by its meaning, any other as announced. Video proves by its key frame that it is some;
   * of audio nothing but a type that has no meaning of its own is taken so.
   */
  #otherReader(
    media: ChosenMedia,
    payloadType: number,
    trackId: number,
    receiver: RtpReceiver,
  ): PayloadDepacketizer | 'same' | undefined {
    const listed = media.formats.find((one) => one.payloadType === payloadType && one.encoding !== '');
    const isVideo = media.kind === 'video';
    const format = listed ?? (isVideo ? undefined : staticFormat(payloadType));
    if (!format) {
      const isFree = payloadType >= firstDynamicType && media.format.payloadType >= firstDynamicType;
      return isVideo || isFree ? 'same' : undefined;
    }
    return this.#readerOfFormat(media, format, trackId, receiver);
  }

  #readerOfFormat(
    media: ChosenMedia,
    format: MediaFormat,
    trackId: number,
    receiver: RtpReceiver,
  ): PayloadDepacketizer | undefined {
    const found = usableEncoding(media.kind, format, this.#options.transcodeAudio !== undefined);
    if (!found || format.clockRate !== media.format.clockRate) return undefined;
    const other = { ...media, ...found, format };
    if (media.kind === 'video') return this.#videoReader(other, trackId, receiver);
    // The clock of the track follows its encoding: only what is converted as well can take its place.
    if (!isConverted(found.encoding) || !isConverted(media.encoding)) return undefined;
    try {
      return this.#convertedReader(other, trackId, receiver);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return undefined;
    }
  }

  #leaveAudioOut(reason: string): void {
    this.#declarer.expectNoAudio();
    this.#options.sink.note(`The sound is left out: ${reason}`);
  }

  #onPacket(number: number, bytes: Uint8Array, start: number, end: number, arrivalMs: number): void {
    const given = this.#channels[number];
    const channel = given ?? this.#asked[number];
    if (!channel) return;
    this.#arrivalMs = arrivalMs;
    if (channel.isControl) {
      this.#onControl(channel.receivers, bytes.subarray(start, end));
      return;
    }
    if (!this.#packet.read(bytes, start, end)) return;
    const receiver = receiverOf(channel.receivers, this.#packet);
    // A stream that comes on the channel it was given keeps to it: what else comes is not its own.
    const isOwn = given !== undefined || !receiver?.ssrc || receiver.ssrc === this.#packet.ssrc;
    if (isOwn) receiver?.push(this.#packet, arrivalMs);
  }

  #onControl(receivers: readonly RtpReceiver[], bytes: Uint8Array): void {
    const { report, isGoodbye } = parseRtcp(bytes);
    const receiver =
      receivers.length > 1 ? receivers.find(({ ssrc }) => ssrc === report?.ssrc) : receivers[0];
    if (report) receiver?.report(report);
    if (!isGoodbye) return;
    for (const one of receiver ? [receiver] : receivers) one.hasSaidGoodbye = true;
    if (this.receivers.every((one) => one.hasSaidGoodbye)) this.#options.onGoodbye();
  }
}

/** SETUP by the profile that was announced, or by the plain one where the server doesn't take it. */
async function setUp(
  connection: RtspConnection,
  { uri, profile }: ChosenMedia,
  { rtp, rtcp }: { readonly rtp: number; readonly rtcp: number },
): Promise<RtspResponse> {
  const ask = (by: string) =>
    connection.request('SETUP', uri, [['Transport', `${by}/TCP;unicast;interleaved=${rtp}-${rtcp}`]]);
  const response = await ask(profile);
  return profile !== 'RTP/AVP' && response.status === 461 ? ask('RTP/AVP') : response;
}

/** Which of the streams that share a channel a packet belongs to: by the sender, before that is known by the payload type. */
function receiverOf(
  receivers: readonly RtpReceiver[],
  { payloadType, ssrc }: RtpPacket,
): RtpReceiver | undefined {
  if (receivers.length === 1) return receivers[0];
  const bySender = receivers.find((one) => one.ssrc === ssrc);
  return bySender ?? receivers.find((one) => one.ssrc === undefined && one.payloadType === payloadType);
}
