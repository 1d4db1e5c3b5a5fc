import { withoutLastSlash } from '../config/public-url.ts';
import { DeliveryWorker } from '../events/delivery-worker.ts';
import { EmailChannel } from '../events/email-channel.ts';
import { WebhookChannel } from '../events/webhook-channel.ts';
import { refusalOfArchive } from '../access/archive-refusal.ts';
import { Fault } from '../base/fault.ts';
import type { Closer } from '../base/opened.ts';
import type { Access } from './access.ts';
import type { ClusterArea } from './cluster.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import type { Foundation } from './foundation.ts';
import type { Media } from './media.ts';
import type { Storage } from './storage.ts';

interface DeliveryParts {
  readonly foundation: Foundation;
  readonly storage: Storage;
  readonly ffmpeg: Ffmpeg;
  readonly cluster: ClusterArea;
  readonly media: Media;
  readonly access: Access;
}

/** Width of the frame in an e-mail, pixels. */
const stillWidth = 640;
/** A live snapshot shows an event that began this recently. */
const recentMs = 60_000;

/** The zone of this machine. */
export function serverTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Sends what the rules queue. The rules themselves act where the journal is written. */
export function openDeliveries(
  { foundation, storage, cluster, media, access, ffmpeg }: DeliveryParts,
  closers: Closer[],
): DeliveryWorker {
  const { config, clock, log, version } = foundation;
  const { store } = storage;
  const publicUrl = () => (config.publicUrl === null ? undefined : withoutLastSlash(config.publicUrl));

  const recorded = async (userId: number, uid: string, timeMs: number) => {
    if ((await refusalOfArchive(store, userId, uid)) !== undefined) return undefined;
    const frame = await cluster.archiveReader.frameAt(uid, timeMs);
    return ffmpeg.renderSnapshot(frame.track, frame.keySample, stillWidth);
  };
  const live = async (uid: string, timeMs: number) =>
    clock.wallMs() - timeMs > recentMs ? undefined : (await media.insight.snapshot(uid, stillWidth)).jpeg;
  // A notification without a still is better than none: what can't be rendered is left out.
  const orNothing = async (still: Promise<Uint8Array | undefined>) => {
    try {
      return await still;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      log.debug({ err: error }, 'A notification has no still');
      return undefined;
    }
  };
  const still = async (userId: number, uid: string, timeMs: number) =>
    (await orNothing(recorded(userId, uid, timeMs))) ?? orNothing(live(uid, timeMs));

  const { mailer } = access;
  const channels = {
    webhook: new WebhookChannel({ clock, version, publicUrl }),
    email: new EmailChannel({ mailer, config, publicUrl, still, timeZone: serverTimeZone() }),
  };
  const deliveries = new DeliveryWorker({ store, channels, clock, log, node: config.node.id });
  closers.push(() => deliveries.close());
  media.ruleEngine.whenQueued(() => deliveries.wake());
  deliveries.start();
  return deliveries;
}
