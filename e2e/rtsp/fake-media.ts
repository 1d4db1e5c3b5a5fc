import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isH264FirstSlice, h264NalType, H264_NAL } from '@vidette/media/codec/h264';
import { annexBToNals } from '@vidette/media/codec/nal';

/** Frames as an encoder made them, for a scripted camera to play in a loop. */
export interface CameraClip {
  readonly framesPerSecond: number;
  /** In decode order; units without start codes, parameter sets left out. The first is a key frame. */
  readonly frames: readonly ClipFrame[];
  readonly sps: Buffer;
  readonly pps: Buffer;
}

interface ClipFrame {
  readonly nals: readonly Uint8Array[];
  readonly isKey: boolean;
}

export interface CameraClipOptions {
  readonly width?: number;
  readonly height?: number;
  readonly framesPerSecond?: number;
  readonly gopFrames?: number;
  readonly frames?: number;
  /** Slices of each frame, 1 to 8. */
  readonly slices?: number;
  /** Frames that don't compress: about 140 kB each at 640x360. */
  readonly isNoisy?: boolean;
}

const run = promisify(execFile);

/** Encodes a short H.264 clip without B-frames. */
export async function encodeClip(options: CameraClipOptions = {}): Promise<CameraClip> {
  const {
    width = 320,
    height = 180,
    framesPerSecond = 20,
    gopFrames = 10,
    frames = 40,
    slices = 1,
    isNoisy = false,
  } = options;
  const noise = isNoisy ? ',noise=alls=60:allf=t' : '';
  const source = `testsrc2=size=${width}x${height}:rate=${framesPerSecond}${noise}`;
  const encoder = `-c:v libx264 -preset ultrafast -threads 1 -bf 0 -g ${gopFrames} -pix_fmt yuv420p`;
  const command =
    `ffmpeg -v error -f lavfi -i ${source} -frames:v ${frames} ${encoder} ` +
    `-x264-params slices=${slices}:scenecut=0 -f h264 pipe:1`;
  const { stdout } = await run('nice', command.split(' '), {
    encoding: 'buffer',
    maxBuffer: 64 * 1024 * 1024,
  });
  return clipOf(annexBToNals(stdout), framesPerSecond);
}

function clipOf(nals: readonly Uint8Array[], framesPerSecond: number): CameraClip {
  const frames: { nals: Uint8Array[]; isKey: boolean }[] = [];
  let sps: Uint8Array | undefined;
  let pps: Uint8Array | undefined;
  for (const nal of nals) {
    const type = h264NalType(nal);
    if (type === H264_NAL.sps) sps = nal;
    else if (type === H264_NAL.pps) pps = nal;
    else if (isH264FirstSlice(nal)) {
      frames.push({ nals: [nal], isKey: type === H264_NAL.idr });
    } else if (type === H264_NAL.slice || type === H264_NAL.idr) frames.at(-1)?.nals.push(nal);
  }
  if (!sps || !pps) throw new Error('the encoder left the parameter sets out');
  return { framesPerSecond, frames, sps: Buffer.from(sps), pps: Buffer.from(pps) };
}

const maxPayloadBytes = 1200;

/** NAL units as payloads of RFC 6184: single units or FU-A. */
export function h264Payloads(nals: readonly Uint8Array[]): Buffer[] {
  return nals.flatMap((nal) => {
    if (nal.length <= maxPayloadBytes) return [Buffer.from(nal)];
    const header = nal[0] ?? 0;
    const pieces: Buffer[] = [];
    for (let at = 1; at < nal.length; at += maxPayloadBytes) {
      const piece = nal.subarray(at, at + maxPayloadBytes);
      const flags = (at === 1 ? 0x80 : 0) | (at + maxPayloadBytes >= nal.length ? 0x40 : 0);
      pieces.push(Buffer.concat([Buffer.of((header & 0xe0) | 28, flags | (header & 0x1f)), piece]));
    }
    return pieces;
  });
}

export interface RtpFields {
  readonly channel: number;
  readonly payloadType: number;
  readonly isMarker: boolean;
  readonly sequence: number;
  readonly timestamp: number;
}

/** An RTP packet as it is sent between RTSP messages (RFC 2326, 10.12). */
export function interleavedRtp(fields: RtpFields, payload: Uint8Array): Buffer {
  const packet = Buffer.alloc(16 + payload.length);
  packet[0] = 0x24;
  packet[1] = fields.channel;
  packet.writeUInt16BE(12 + payload.length, 2);
  packet[4] = 0x80;
  packet[5] = (fields.isMarker ? 0x80 : 0) | fields.payloadType;
  packet.writeUInt16BE(fields.sequence & 0xffff, 6);
  packet.writeUInt32BE(fields.timestamp >>> 0, 8);
  packet.writeUInt32BE(0x5eed + fields.channel, 12);
  packet.set(payload, 16);
  return packet;
}
