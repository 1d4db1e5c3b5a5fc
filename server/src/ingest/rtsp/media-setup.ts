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

/**
 * The contents of an interleaved channel: one stream, except with servers that send everything on one channel.
 */
interface MediaChannel {
  readonly receivers: RtpReceiver[];
  readonly isControl: boolean;
}

/**
 * RTP sends audio as it is captured: if it is missing this long after the first key frame, it is not being
 * sent.
 */
const audioPatience = { startMs: 400, silentMs: 10_000 };
const videoTimescale = 90_000;
/** Session timeout if the server specifies none, s (RFC 2326, 12.37). */
const defaultTimeoutSeconds = 60;
/**
 * Lower payload types are fixed or reserved (RFC 3551, 6); only from here on can two numbers have the same
 * meaning.
 */
const firstDynamicType = 96;

/** Sets up the chosen media on a connection and receives them. It owns the receivers. */
export class MediaSetup {
  /** The media that have been set up. */
  readonly receivers: RtpReceiver[] = [];
  readonly #opened: RtpReceiver[] = [];
  readonly #options: MediaSetupOptions;
  readonly #declarer: TrackDeclarer<Sample>;
  readonly #timing = new SourceTiming();
  /** By interleaved channel number as assigned by the server... */
  readonly #channels: (MediaChannel | undefined)[] = [];
  /** ...and as requested by us: some servers reply with numbers other than those they send on. */
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
   * Sends SETUP for every medium; audio next to video may fail. Packets are accepted from here on, because some
   * servers send them before the reply to PLAY.
   * @returns the session timeout: seconds without a request after which the server drops the session
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
    if (this.receivers.length === 0) throw new Fault('ProbeError', 'The camera offers no supported media.');
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
    if (!convert) throw new Fault('ProbeError', 'no transcoder is available');
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
   * The depacketizer for a payload type that this medium was not announced with: a type that the description
   * lists, or that has a fixed meaning, is read by its meaning, any other as announced. Video proves itself by
   * a key frame; for audio only a type without a meaning of its own is accepted.
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
    // The clock of the track follows its encoding, so only another transcoded encoding can replace it.
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
    this.#options.sink.note(`The audio is left out: ${reason}`);
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
    // A stream on its assigned channel stays on it: other packets on the channel are not its own.
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

/** Sends SETUP with the announced profile, or with the plain one if the server rejects it. */
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

/**
 * Which of the streams that share a channel a packet belongs to: by SSRC, or by payload type until the SSRC is
 * known.
 */
function receiverOf(
  receivers: readonly RtpReceiver[],
  { payloadType, ssrc }: RtpPacket,
): RtpReceiver | undefined {
  if (receivers.length === 1) return receivers[0];
  const bySender = receivers.find((one) => one.ssrc === ssrc);
  return bySender ?? receivers.find((one) => one.ssrc === undefined && one.payloadType === payloadType);
}
