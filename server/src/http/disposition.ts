/** `Name 2026-11-21 10-00-00.mp4` in the reader's time zone, for every browser (RFC 6266, 4.3). */
export function dispositionOf(
  name: string,
  startMs: number,
  timezoneOffsetMinutes: number,
  extension: 'mp4' | 'zip',
): string {
  const local = new Date(startMs + timezoneOffsetMinutes * 60_000).toISOString().slice(0, 19);
  const safe = name.replace(/[\\/:*?"<>|]/g, '_').slice(0, 100);
  const fileName = `${safe} ${local.replace('T', ' ').replace(/:/g, '-')}.${extension}`;
  const ascii = fileName.replace(/[^\x20-\x7e]/g, '_').replace(/%/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeRfc8187(fileName)}`;
}

function encodeRfc8187(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
