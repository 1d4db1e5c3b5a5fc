import type { Client } from '@vidette/contract/client';
import { pauseOf } from './footage.ts';
import { numberMark, type FakeCameraOptions } from './rtsp/fake-camera.ts';

/** All sessions of such a camera get the same frames, which carry their numbers. */
export const numbered = (): Partial<FakeCameraOptions> => ({ isShared: true, isNumbered: true });

/** The numbers of the frames in the recording of a stream, which is paused first. */
export async function recordedNumbers(client: Client, uid: string): Promise<number[]> {
  const span = await pauseOf(client, uid);
  const query = { start_time: span.startMs, end_time: span.endMs };
  const response = await client.downloadArchive({ params: { uid }, query });
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
  return Array.from(text.matchAll(new RegExp(`${numberMark}([0-9a-f]{8})`, 'g')), ([, digits = '']) =>
    Number.parseInt(digits, 16),
  );
}

/** How many frames are missing in each place, and how often one is there again. */
export function breaksOf(numbers: readonly number[]): { losses: number[]; repeated: number } {
  const steps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0));
  return {
    losses: steps.filter((step) => step > 1).map((step) => step - 1),
    repeated: steps.filter((step) => step < 1).length,
  };
}
