import { withoutLastSlash } from '../config/public-url.ts';
import { DeliveryWorker } from '../events/delivery-worker.ts';
import { EmailChannel } from '../events/email-channel.ts';
import { NotificationStills } from '../events/notification-stills.ts';
import { PushChannel } from '../events/push-channel.ts';
import { pushKeysOf } from '../events/push-keys.ts';
import { MqttChannel } from '../events/mqtt-channel.ts';
import type { BrokerConnection } from '../mqtt/broker-connection.ts';
import { WebhookChannel } from '../events/webhook-channel.ts';
import { mayView, refusalOfArchive } from '../access/archive-refusal.ts';
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
export function openDeliveries(parts: DeliveryParts, broker: BrokerConnection, closers: Closer[]) {
  const { foundation, storage, media, access } = parts;
  const { config, clock, log, version } = foundation;
  const { store } = storage;
  const publicUrl = () => (config.publicUrl === null ? undefined : withoutLastSlash(config.publicUrl));
  const still = stillsOf(parts);
  const pushKeys = pushKeysOf(store.secret);
  const notificationStills = new NotificationStills({
    secret: store.secret,
    clock,
    render: ({ userId, uid, timeMs }) => still(userId, uid, timeMs),
  });
  const { mailer } = access;
  const channels = {
    push: new PushChannel({ clock, keys: pushKeys, stills: notificationStills, publicUrl }),
    webhook: new WebhookChannel({ clock, version, publicUrl }),
    mqtt: new MqttChannel({ broker, config, clock, publicUrl }),
    email: new EmailChannel({ mailer, config, publicUrl, still, timeZone: serverTimeZone() }),
  };
  const deliveries = new DeliveryWorker({
    ...{ store, channels, clock, log },
    node: config.node.id,
    writes: store.watchWrites(),
  });
  closers.push(() => deliveries.close());
  media.ruleEngine.whenQueued(() => deliveries.wake());
  deliveries.start();
  return { deliveries, notificationStills, pushKeys };
}

/** The frame of an event as a JPEG, as far as a user may see it now. */
function stillsOf({ foundation, storage, cluster, media, ffmpeg }: DeliveryParts) {
  const { clock, log } = foundation;
  const { store } = storage;
  const recorded = async (userId: number, uid: string, timeMs: number) => {
    if ((await refusalOfArchive(store, userId, uid)) !== undefined) return undefined;
    const frame = await cluster.archiveReader.frameAt(uid, timeMs);
    return ffmpeg.renderSnapshot(frame.track, frame.keySample, stillWidth);
  };
  const live = async (userId: number, uid: string, timeMs: number) => {
    if (clock.wallMs() - timeMs > recentMs || !(await mayView(store, userId, uid))) return undefined;
    return (await media.insight.snapshot(uid, stillWidth)).jpeg;
  };
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
  return async (userId: number, uid: string, timeMs: number) =>
    (await orNothing(recorded(userId, uid, timeMs))) ?? orNothing(live(userId, uid, timeMs));
}
