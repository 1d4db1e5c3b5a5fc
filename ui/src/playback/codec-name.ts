const VIDEO_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^avc[13]/, 'H.264'],
  [/^(hvc1|hev1)/, 'H.265'],
  [/^av01/, 'AV1'],
  [/^vp0?9/, 'VP9'],
];
const AUDIO_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^mp4a/, 'AAC'],
  [/^opus/i, 'Opus'],
];

/** The entries of the `codecs` parameter of a media type (RFC 6381, 3.2), in order. */
export function codecsOf(mimeType: string): string[] {
  const list = /codecs\s*=\s*"?([^"]*)"?/i.exec(mimeType)?.[1] ?? '';
  return list
    .split(',')
    .map((codec) => codec.trim())
    .filter((codec) => codec !== '');
}

/** A codec string as the codec's common name: `hvc1.1.6.L93.B0` is `H.265`. */
export function codecName(codec: string): string {
  return [...VIDEO_NAMES, ...AUDIO_NAMES].find(([pattern]) => pattern.test(codec))?.[1] ?? codec;
}

/** The video codec in a media type; undefined for audio only. */
export function videoCodecOf(mimeType: string): string | undefined {
  return codecsOf(mimeType).find((codec) => VIDEO_NAMES.some(([pattern]) => pattern.test(codec)));
}

/**
 * The codec to name when a stream can't be played: the video codec, or the audio codec when there is no video.
 */
export function spokenCodec(mimeType: string): string {
  const codec = videoCodecOf(mimeType) ?? codecsOf(mimeType)[0];
  return codec === undefined ? mimeType : codecName(codec);
}
