import type { StreamStatus } from '@vidette/contract/entities';
import type { WebSocket } from 'ws';
import { Fault } from '../base/fault.ts';
import { networkOf } from '../base/network.ts';
import type { MomentTally } from '../events/moment-tally.ts';
import type { PendingUpgrade, RemoteViewer, RemoteViewers } from '../engine/remote-viewers.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { Live } from '../live/live.ts';
import type { LiveVariant } from '../live/session.ts';
import type { Store } from '../store/store.ts';
import type { StreamRecord } from '../store/stream-row.ts';
import type { WatchLog } from '../system/watch-log.ts';
import type { SharedViewers } from './shared-viewers.ts';
import { whenClosed } from './when-closed.ts';

/** A viewer with a public link that has just been checked. */
export interface LinkViewer {
  readonly uid: string;
  readonly key: string;
  readonly ip: string;
}

/** See `UserClaim`. */
export interface LinkClaim {
  readonly kind: 'link';
  readonly key: string;
  readonly ip: string;
}

export interface SharedViewingOptions {
  readonly store: Pick<Store, 'streams'>;
  readonly streamManager: Pick<StreamManager, 'find' | 'state'>;
  readonly live: Pick<Live, 'serveSocket'>;
  readonly watchLog: Pick<WatchLog, 'begin'>;
  readonly sharedViewers: Pick<SharedViewers, 'add' | 'count'>;
  readonly openedLinks: Pick<MomentTally, 'note'>;
  /** Undefined where streams run in this process. */
  readonly viewers?: Pick<RemoteViewers, 'serve'> | undefined;
}

/** Watching through a public link [R10.5]: open to anyone who has the link, without an account. */
export class SharedViewing {
  readonly #options: SharedViewingOptions;

  constructor(options: SharedViewingOptions) {
    this.#options = options;
  }

  /** The information that the page of the link shows besides the video. @throws Fault NotFound */
  async info(key: string): Promise<{ name: string; status: StreamStatus; viewers: number }> {
    const { streamManager, sharedViewers } = this.#options;
    const { uid, name } = await this.#streamOf(key);
    return { name, status: streamManager.state(uid).status, viewers: sharedViewers.count(uid) };
  }

  /** The uid of the stream that the link leads to. @throws Fault NotFound for a key that was revoked or never existed */
  async admit(key: string): Promise<string> {
    return (await this.#streamOf(key)).uid;
  }

  /** Serves one WebSocket until either side ends it. */
  watch({ uid, key, ip }: LinkViewer, variant: LiveVariant, socket: WebSocket): void {
    const { streamManager, live, watchLog, sharedViewers } = this.#options;
    const running = streamManager.find(uid);
    if (!running) {
      socket.close(1011, 'Unavailable');
      return;
    }
    const release = running.demand.addViewer();
    const session = live.serveSocket(socket, running.stream, variant);
    const forget = sharedViewers.add(uid, key, session);
    this.#noteOpened(uid, ip);
    const noteEnd = watchLog.begin({ mode: 'watchShared', uid, login: null, ip });
    whenClosed(socket, () => {
      noteEnd();
      forget();
      release();
    });
  }

  /** As `LiveViewing.handOver`. */
  async handOver(
    { uid, key, ip }: LinkViewer,
    variant: LiveVariant,
    upgrade: PendingUpgrade,
  ): Promise<boolean> {
    const { viewers, streamManager } = this.#options;
    if (!viewers) streamManager.find(uid)?.demand.extend();
    const claim: LinkClaim = { kind: 'link', key, ip };
    const remote = await viewers?.serve({ uid, variant, claim }, upgrade);
    if (remote) {
      this.adopt(remote, claim);
      this.#noteOpened(uid, ip);
    }
    return remote !== undefined;
  }

  /** As `LiveViewing.adopt`. */
  adopt(remote: RemoteViewer, { key, ip }: LinkClaim): void {
    const { watchLog, sharedViewers } = this.#options;
    const { uid } = remote;
    const forget = sharedViewers.add(uid, key, remote);
    const noteEnd = watchLog.begin({ mode: 'watchShared', uid, login: null, ip });
    remote.whenGone(() => {
      noteEnd();
      forget();
    });
  }

  #noteOpened(uid: string, ip: string): void {
    this.#options.openedLinks.note({ uid, detail: { address: networkOf(ip) } });
  }

  async #streamOf(key: string): Promise<StreamRecord> {
    const stream = await this.#options.store.streams.byShareKey(key);
    if (!stream) throw new Fault('NotFound', 'The link is not valid.');
    return stream;
  }
}
