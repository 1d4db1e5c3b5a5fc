import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isH264FirstSlice, h264NalType, H264_NAL } from '@vidette/media/codec/h264';
import { H265_NAL, h265NalType, isH265Key, isH265Slice } from '@vidette/media/codec/h265';
import { annexBToNals } from '@vidette/media/codec/nal';

/** Frames from an encoder, for a scripted camera to play in a loop. */
export interface CameraClip {
  readonly framesPerSecond: number;
  /** In decode order; NAL units without start codes, without parameter sets. The first is a key frame. */
  readonly frames: readonly ClipFrame[];
  /** H.264 by default. */
  readonly codec?: 'h265';
  /** Only for H.265. */
  readonly vps?: Buffer;
  readonly sps: Buffer;
  readonly pps: Buffer;
}

/** The parameter sets sent before a key frame. */
export function parameterSets({ vps, sps, pps }: CameraClip): Buffer[] {
  return vps ? [vps, sps, pps] : [sps, pps];
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
  /** H.264 by default. */
  readonly codec?: 'h265';
}

const run = promisify(execFile);

/** Encodes a short clip without B-frames. */
export async function encodeClip(options: CameraClipOptions = {}): Promise<CameraClip> {
  const {
    width = 320,
    height = 180,
    framesPerSecond = 20,
    gopFrames = 10,
    frames = 40,
    slices = 1,
    isNoisy = false,
    codec,
  } = options;
  const noise = isNoisy ? ',noise=alls=60:allf=t' : '';
  const source = `testsrc2=size=${width}x${height}:rate=${framesPerSecond}${noise}`;
  const [library, format, parameters] =
    codec === 'h265'
      ? ['libx265', 'hevc', '-x265-params pools=1:frame-threads=1:log-level=none:scenecut=0:keyint=']
      : ['libx264', 'h264', `-threads 1 -x264-params slices=${slices}:scenecut=0:keyint=`];
  const command =
    `ffmpeg -v error -f lavfi -i ${source} -frames:v ${frames} -c:v ${library} -preset ultrafast ` +
    `-bf 0 -pix_fmt yuv420p ${parameters}${gopFrames} -f ${format} pipe:1`;
  const { stdout } = await run('nice', command.split(' '), {
    encoding: 'buffer',
    maxBuffer: 64 * 1024 * 1024,
  });
  const nals = annexBToNals(stdout);
  return codec === 'h265' ? h265ClipOf(nals, framesPerSecond) : clipOf(nals, framesPerSecond);
}

/** For an encoder that makes one slice per frame. */
function h265ClipOf(nals: readonly Uint8Array[], framesPerSecond: number): CameraClip {
  const ofKind = (kind: number) => {
    const found = nals.find((nal) => h265NalType(nal) === kind);
    if (!found) throw new Error('The encoder omitted the parameter sets');
    return Buffer.from(found);
  };
  const frames = nals.filter(isH265Slice).map((nal) => ({ nals: [nal], isKey: isH265Key([nal]) }));
  const [vps, sps, pps] = [ofKind(H265_NAL.vps), ofKind(H265_NAL.sps), ofKind(H265_NAL.pps)];
  return { codec: 'h265', framesPerSecond, frames, vps, sps, pps };
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
  if (!sps || !pps) throw new Error('The encoder omitted the parameter sets');
  return { framesPerSecond, frames, sps: Buffer.from(sps), pps: Buffer.from(pps) };
}

const maxPayloadBytes = 1200;

/** NAL units as payloads of RFC 6184 and RFC 7798: single units, FU-A and FU. */
export function videoPayloads(nals: readonly Uint8Array[], codec?: 'h265'): Buffer[] {
  const headBytes = codec === 'h265' ? 2 : 1;
  return nals.flatMap((nal) => {
    if (nal.length <= maxPayloadBytes) return [Buffer.from(nal)];
    const [first = 0, second = 0] = nal;
    const pieces: Buffer[] = [];
    for (let at = headBytes; at < nal.length; at += maxPayloadBytes) {
      const piece = nal.subarray(at, at + maxPayloadBytes);
      const flags = (at === headBytes ? 0x80 : 0) | (at + maxPayloadBytes >= nal.length ? 0x40 : 0);
      const head =
        codec === 'h265'
          ? [(first & 0x81) | (49 << 1), second, flags | ((first >>> 1) & 0x3f)]
          : [(first & 0xe0) | 28, flags | (first & 0x1f)];
      pieces.push(Buffer.concat([Buffer.from(head), piece]));
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
