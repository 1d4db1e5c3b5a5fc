import type { InputRequest } from '../protocol.ts';

/** What FFmpeg is told to open, and how. */
export interface InputOptions {
  readonly url: string;
  readonly options: Readonly<Record<string, string>>;
}

/**
 * Protocols that each kind of address may use, its nested ones included: a playlist in a web page can't make FFmpeg
 * read a file of this machine or speak another protocol.
 */
const whitelists = {
  http: 'http,https,httpproxy,tcp,tls,crypto,data',
  rtmp: 'rtmp,tcp',
  rtmps: 'rtmps,tls,tcp',
  rtsp: 'rtsp,tcp,rtp,udp',
  rtsps: 'rtsps,rtsp,tls,tcp,rtp,udp',
  srt: 'srt',
  udp: 'udp',
  file: 'file',
} as const;

/** Query parameters of addresses that FFmpeg's SRT and UDP understand and that concern nothing but the stream. */
const srtParameters = ['mode', 'streamid', 'passphrase', 'pbkeylen', 'latency', 'rcvlatency', 'peerlatency'];
const udpParameters = ['sources', 'block', 'reuse', 'localaddr'];

const common = {
  analyzeduration: '3000000',
  probesize: '5000000',
  fpsprobesize: '0',
  max_streams: '32',
  user_agent: 'Vidette',
};
/** Extensions say nothing about what a camera sends; the protocols are what is restricted. */
const playlists = { extension_picky: '0', allowed_extensions: 'ALL', allowed_segment_extensions: 'ALL' };

/** @param proxy address of the checked proxy, for HTTP */
export function inputOptions(request: InputRequest, proxy: string | undefined): InputOptions {
  if (request.allowFile) {
    return { url: request.url, options: { ...common, protocol_whitelist: whitelists.file } };
  }
  const timeoutUs = String(request.timeoutMs * 1000);
  const scheme = request.url.slice(0, request.url.indexOf(':'));
  switch (scheme) {
    case 'http':
    case 'https':
      if (proxy === undefined) break;
      return {
        url: request.url,
        options: {
          ...common,
          ...playlists,
          protocol_whitelist: whitelists.http,
          http_proxy: proxy,
          rw_timeout: timeoutUs,
        },
      };
    case 'rtmp':
    case 'rtmps': {
      const tcUrl = rtmpTcUrl(request.url);
      return {
        url: dialled(request),
        options: {
          ...common,
          protocol_whitelist: whitelists[scheme],
          rtmp_tcurl: tcUrl,
          rw_timeout: timeoutUs,
        },
      };
    }
    case 'rtsp':
    case 'rtsps':
      return {
        url: dialled(request),
        options: {
          ...common,
          protocol_whitelist: whitelists[scheme],
          rtsp_transport: 'udp+tcp',
          rtsp_flags: 'prefer_tcp',
          timeout: timeoutUs,
        },
      };
    case 'srt':
      return {
        url: withParameters(dialled(request), srtParameters, { connect_timeout: String(request.timeoutMs) }),
        options: { ...common, protocol_whitelist: whitelists.srt },
      };
    case 'udp':
      return {
        url: withParameters(dialled(request), udpParameters, { fifo_size: '20000', overrun_nonfatal: '1' }),
        options: { ...common, protocol_whitelist: whitelists.udp },
      };
  }
  throw new RangeError(`Addresses of the kind ${scheme}: are not read here.`);
}

/** The address with the checked IP in place of the name. */
function dialled(request: InputRequest): string {
  if (request.ip === undefined) return request.url;
  const shown = request.ip.includes(':') ? `[${request.ip}]` : request.ip;
  return request.url.replace(
    /^([a-z]+:\/\/)((?:[^@/?#]*@)?)(\[[^\]]*\]|[^:/?#]*)/,
    (_whole, scheme: string, user: string) => scheme + user + shown,
  );
}

/** What RTMP calls tcUrl, with the name as it was typed: servers with several hosts choose by it. */
function rtmpTcUrl(url: string): string {
  const match = /^([a-z]+:\/\/)(?:[^@/]*@)?([^/]*)\/([^?]*)/.exec(url);
  if (!match) return url;
  const [, scheme = '', host = '', path = ''] = match;
  // FFmpeg's own rule: one folder is the application, two when there are more.
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
