import type { InputRequest } from '../../protocol.ts';
import { plainAddress } from './tls-names.ts';

/** What FFmpeg may open, and with which options. */
export interface InputOptions {
  readonly url: string;
  readonly options: Readonly<Record<string, string>>;
}

/**
 * Protocols that each kind of address may use, including its nested ones: a playlist in a web page cannot make
 * FFmpeg read a file of this machine or use another protocol. `http`, `rtmp` and `rtsp` run over `tcp`, which
 * leads to the proxy or relay of this process, which handles TLS.
 */
const whitelists = {
  http: 'http,tcp,crypto,data',
  rtmp: 'rtmp,tcp',
  rtsp: 'rtsp,tcp,rtp,udp',
  srt: 'srt',
  udp: 'udp',
  file: 'file',
} as const;

/**
 * Formats that each kind of address may have, including those of a playlist's segments. Formats that name and
 * open other files are excluded: ffconcat, SDP, IMF and the like; the exceptions, HLS and DASH, open HTTP only.
 */
const plainFormats = 'mpegts,mov,flv,matroska,webm,mpeg,avi,ogg,h264,hevc,aac,mp3,ac3,eac3';
const formats = {
  http: `${plainFormats},hls,dash,webvtt,mpjpeg,mjpeg,jpeg_pipe,image2,jpeg`,
  rtmp: 'flv',
  rtsp: 'rtsp,mpegts',
  datagrams: `${plainFormats},mpegtsraw`,
} as const;

/** Query parameters that FFmpeg's SRT and UDP understand and that affect only the stream. */
const srtParameters = ['mode', 'streamid', 'passphrase', 'pbkeylen', 'latency', 'rcvlatency', 'peerlatency'];
const udpParameters = ['sources', 'block', 'reuse', 'localaddr'];

const common = {
  analyzeduration: '3000000',
  probesize: '5000000',
  fpsprobesize: '0',
  max_streams: '32',
  user_agent: 'Vidette',
};
/**
 * Extensions say nothing about a camera's output, so the protocols are restricted instead. One request per
 * connection, so that the proxy can distinguish FFmpeg's requests from smuggled ones.
 */
const playlists = {
  extension_picky: '0',
  allowed_extensions: 'ALL',
  allowed_segment_extensions: 'ALL',
  http_persistent: '0',
  http_multiple: '0',
};

/** What FFmpeg connects to instead of the source: the proxy for HTTP, the port of a relay for RTMP and RTSP. */
export interface OutboundPath {
  readonly proxy?: { readonly url: string; readonly userAgent: string };
  readonly forwarderPort?: number;
}

export function inputOptions(request: InputRequest, way: OutboundPath): InputOptions {
  if (request.allowFile) {
    return { url: request.url, options: { ...common, protocol_whitelist: whitelists.file } };
  }
  const timeoutUs = String(request.timeoutMs * 1000);
  const scheme = request.url.slice(0, request.url.indexOf(':'));
  switch (scheme) {
    case 'http':
    case 'https':
      if (!way.proxy) break;
      return {
        url: plainAddress(request.url),
        options: {
          ...common,
          ...playlists,
          protocol_whitelist: whitelists.http,
          format_whitelist: formats.http,
          http_proxy: way.proxy.url,
          user_agent: way.proxy.userAgent,
          rw_timeout: timeoutUs,
        },
      };
    case 'rtmp':
    case 'rtmps':
      if (way.forwarderPort === undefined) break;
      return {
        url: relayed(request.url, 'rtmp', way.forwarderPort),
        options: {
          ...common,
          protocol_whitelist: whitelists.rtmp,
          format_whitelist: formats.rtmp,
          rtmp_tcurl: rtmpTcUrl(request.url),
          // Enhanced RTMP: a server sends H.265 only to clients that announce it (veovera, enhanced-rtmp-v1).
          rtmp_enhanced_codecs: 'hvc1,av01,vp09',
          rw_timeout: timeoutUs,
        },
      };
    case 'rtsp':
    case 'rtsps':
      if (way.forwarderPort === undefined) break;
      return {
        url: relayed(request.url, 'rtsp', way.forwarderPort),
        options: {
          ...common,
          protocol_whitelist: whitelists.rtsp,
          format_whitelist: formats.rtsp,
          // TLS cannot be used with datagrams.
          rtsp_transport: scheme === 'rtsps' ? 'tcp' : 'udp+tcp',
          rtsp_flags: 'prefer_tcp',
          timeout: timeoutUs,
        },
      };
    case 'srt':
      return {
        url: withParameters(dialled(request), srtParameters, { connect_timeout: String(request.timeoutMs) }),
        options: { ...common, protocol_whitelist: whitelists.srt, format_whitelist: formats.datagrams },
      };
    case 'udp':
      return {
        url: withParameters(dialled(request), udpParameters, { fifo_size: '20000', overrun_nonfatal: '1' }),
        options: { ...common, protocol_whitelist: whitelists.udp, format_whitelist: formats.datagrams },
      };
  }
  throw new RangeError(`Addresses with the scheme ${scheme}: are not read here.`);
}

/** The address with the relay instead of host and port; the user is kept. */
function relayed(url: string, scheme: 'rtmp' | 'rtsp', port: number): string {
  return url.replace(
    /^[a-z]+:\/\/([^@/?#]*@)?[^/?#]*/,
    (_whole, user: string | undefined) => `${scheme}://${user ?? ''}127.0.0.1:${port}`,
  );
}

/** The address with the checked IP instead of the name. */
function dialled(request: InputRequest): string {
  if (request.ip === undefined) return request.url;
  const shown = request.ip.includes(':') ? `[${request.ip}]` : request.ip;
  return request.url.replace(
    /^([a-z]+:\/\/)((?:[^@/?#]*@)?)(\[[^\]]*\]|[^:/?#]*)/,
    (_whole, scheme: string, user: string) => scheme + user + shown,
  );
}

/** RTMP's tcUrl, with the name as entered: servers with several virtual hosts select by it. */
function rtmpTcUrl(url: string): string {
  const match = /^([a-z]+:\/\/)(?:[^@/]*@)?([^/]*)\/([^?]*)/.exec(url);
  if (!match) return url;
  const [, scheme = '', host = '', path = ''] = match;
  // FFmpeg's own rule: one folder is the application, two if there are more.
  const parts = path.split('/');
  return `${scheme}${host}/${parts.slice(0, parts.length > 2 ? 2 : 1).join('/')}`;
}

function withParameters(
  url: string,
  kept: readonly string[],
  added: Readonly<Record<string, string>>,
): string {
  const [base = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  const names = [...parameters.keys()];
  for (const name of names) if (!kept.includes(name)) parameters.delete(name);
  for (const [name, value] of Object.entries(added)) parameters.set(name, value);
  return `${base}?${parameters.toString()}`;
}
