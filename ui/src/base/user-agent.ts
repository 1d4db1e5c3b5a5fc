// Names the client behind a User-Agent, for a user who reviews their sessions. The order matters: each of these
// also claims to be the ones after it.

const programs: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/OPR\/(\d+)/, 'Opera'],
  [/YaBrowser\/(\d+)/, 'Yandex'],
  [/SamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/(?:Chrome|Chromium|CriOS)\/(\d+)/, 'Chrome'],
  [/^(?=.*Safari\/)(?:.*?)Version\/(\d+)/, 'Safari'],
  [/curl\/(\d+)/, 'curl'],
  [/node|undici/, 'Node.js'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

/** "Firefox 140, Linux"; null when the client is unknown. */
export function programOf(userAgent: string): string | null {
  for (const [pattern, name] of programs) {
    const match = pattern.exec(userAgent);
    if (!match) continue;
    const system = systems.find(([systemPattern]) => systemPattern.test(userAgent))?.[1];
    const program = match[1] === undefined ? name : `${name} ${match[1]}`;
    return system === undefined ? program : `${program}, ${system}`;
  }
  return null;
}
