import { Fault } from '../base/fault.ts';

export interface DemoAddress {
  /** Empty for `demo:`; colours, pitch and phase are derived from it. */
  readonly name: string;
  /** Frames per second, 1 to 60. */
  readonly fps: number;
  /** Length of a GOP, 200 to 10000 ms. */
  readonly gopMs: number;
}

/**
 * Parses `demo:`, `demo:gate`, `demo:gate?fps=10&gop=2000` (gop in ms; defaults 25 and 1000).
 * @throws Fault STREAM_SOURCE_ERR if an option is unknown or out of range
 */
export function parseDemoAddress(url: string): DemoAddress {
  const [name = '', query = ''] = url.slice('demo:'.length).split('?', 2);
  const options = new URLSearchParams(query);
  for (const key of options.keys()) {
    if (key !== 'fps' && key !== 'gop')
      throw refused(`demo: has no option "${key}"; the options are fps and gop.`);
  }
  return {
    name,
    fps: numberIn(options.get('fps') ?? '25', 1, 60, 'fps'),
    gopMs: numberIn(options.get('gop') ?? '1000', 200, 10_000, 'gop'),
  };
}

function numberIn(text: string, min: number, max: number, option: string): number {
  const value = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw refused(`The option ${option} of demo: must be a number from ${min} to ${max}.`);
}

function refused(words: string): Fault {
  return new Fault('STREAM_SOURCE_ERR', words, {
    details: { fields: [{ path: 'streamSource', code: 'STREAM_SOURCE_ERR', error: words }] },
  });
}
