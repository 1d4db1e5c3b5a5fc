import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A GStreamer RTSP server that plays launch lines as cameras do; see `gst-server.py`. */
export interface GstServer {
  readonly port: number;
  /** The address of a mount point, without credentials. */
  url(path: string): string;
  /** Ends the process; idempotent. */
  stop(): Promise<void>;
}

export interface GstServerOptions {
  /** By path, `/cam` for example. */
  readonly mounts: Readonly<Record<string, string>>;
  readonly auth?: { readonly scheme: 'basic' | 'digest'; readonly user: string; readonly password: string };
  /** Certificate and key, PEM; the server then speaks rtsps. */
  readonly tls?: { readonly pem: string };
  readonly timeoutSeconds?: number;
  /** Interval at which every client is disconnected. */
  readonly dropEverySeconds?: number;
  /** The only transport that the server offers; default `tcp`. */
  readonly transport?: 'tcp' | 'udp';
}

const script = fileURLToPath(new URL('gst-server.py', import.meta.url));

/** Starts a server on a free port of the loopback interface; resolves when it listens. */
export async function startGstServer(options: GstServerOptions): Promise<GstServer> {
  const child = spawn('nice', ['/usr/bin/python3', script, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const ready = once(lines, 'line') as Promise<[string]>;
  const outcome = await Promise.race([ready, exited.then(() => undefined)]);
  if (!outcome) throw new Error('the GStreamer server ended before it listened');
  const { port } = JSON.parse(outcome[0]) as { port: number };
  const scheme = options.tls ? 'rtsps' : 'rtsp';
  return {
    port,
    url: (path) => `${scheme}://127.0.0.1:${port}${path}`,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await exited;
    },
  };
}

export interface FrameOptions {
  readonly width?: number;
  readonly height?: number;
  readonly framesPerSecond?: number;
  /** Frames from one key frame to the next. */
  readonly gopFrames?: number;
  /** B-frames between two reference frames; 0 for none. H.264 only. */
  readonly bFrames?: number;
}

/** Test video with a running clock, cheap to encode: the pay0 part of a launch line. */
export function gstVideo(codec: 'h264' | 'h265', options: FrameOptions = {}): string {
  const { width = 320, height = 240, framesPerSecond = 15, gopFrames = 15, bFrames = 0 } = options;
  const source =
    `videotestsrc is-live=true pattern=smpte ! video/x-raw,format=I420,width=${width},height=${height},` +
    `framerate=${framesPerSecond}/1 ! timeoverlay halignment=center font-desc="Sans, 24"`;
  const encoder =
    codec === 'h264'
      ? `x264enc threads=1 speed-preset=ultrafast bitrate=300 key-int-max=${gopFrames} bframes=${bFrames} ` +
        `${bFrames === 0 ? 'tune=zerolatency' : 'b-adapt=false rc-lookahead=0'} ! video/x-h264,profile=main`
      : `x265enc speed-preset=ultrafast tune=zerolatency bitrate=300 key-int-max=${gopFrames} ` +
        `option-string="pools=1:frame-threads=1:log-level=none"`;
  const number = codec === 'h264' ? 'rtph264pay' : 'rtph265pay';
  return `${source} ! ${encoder} ! ${number} name=pay0 pt=96 config-interval=-1`;
}

export type GstAudio = 'aac' | 'pcmu' | 'pcma' | 'opus' | 'g722' | 'g726' | 'l16' | 'mp3';

/** A quiet tone of 440 Hz: the pay1 part of a launch line (or pay0, if it is the only part). */
export function gstAudio(codec: GstAudio, name = 'pay1'): string {
  const source = 'audiotestsrc is-live=true volume=0.05';
  switch (codec) {
    case 'aac':
      return `${source} ! audio/x-raw,rate=44100,channels=1 ! avenc_aac bitrate=48000 ! rtpmp4gpay name=${name} pt=97`;
    case 'g722':
      return `${source} ! audio/x-raw,rate=16000,channels=1 ! avenc_g722 ! rtpg722pay name=${name} pt=9`;
    case 'g726':
      return `${source} ! audio/x-raw,rate=8000,channels=1 ! avenc_g726 bitrate=32000 ! rtpg726pay force-aal2=false name=${name} pt=97`;
    case 'l16':
      return `${source} ! audioconvert ! audio/x-raw,format=S16BE,rate=44100,channels=2 ! rtpL16pay name=${name} pt=10`;
    case 'mp3':
      return `${source} ! audio/x-raw,rate=44100,channels=1 ! lamemp3enc bitrate=64 ! mpegaudioparse ! rtpmpapay name=${name} pt=14`;
    case 'opus':
      return `${source} ! audio/x-raw,rate=48000,channels=1 ! opusenc bitrate=32000 ! rtpopuspay name=${name} pt=97`;
    case 'pcmu':
      return `${source} ! audio/x-raw,rate=8000,channels=1 ! mulawenc ! rtppcmupay name=${name} pt=0`;
    case 'pcma':
      return `${source} ! audio/x-raw,rate=8000,channels=1 ! alawenc ! rtppcmapay name=${name} pt=8`;
  }
}
