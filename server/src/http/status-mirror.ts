import type { Station } from '../station/station.ts';
import type { Streams } from '../store/streams.ts';

/**
 * Brings the statuses that the station knows into the database, where lists filter and sort by them. It is done
 * when such a list is asked for, and only for what changed since.
 */
export class StatusMirror {
  readonly #station: Station;
  readonly #streams: Streams;
  #mirroredRevision: number | undefined;
  #updating: Promise<void> | undefined;

  constructor(station: Station, streams: Streams) {
    this.#station = station;
    this.#streams = streams;
  }

  /** Resolves when the database knows what the station knew at the time of the call, or later. */
  async update(): Promise<void> {
    await this.#updating;
    if (this.#mirroredRevision === this.#station.changes.revision) return;
    this.#updating ??= this.#write().finally(() => (this.#updating = undefined));
    await this.#updating;
  }

  async #write(): Promise<void> {
    const { revision } = this.#station.changes;
    const changed =
      this.#mirroredRevision === undefined ? undefined : this.#station.changes.since(this.#mirroredRevision);
    const uids = changed ?? Array.from(this.#station.streams(), (stream) => stream.settings.uid);
    await this.#streams.saveStatuses(
      new Map(Array.from(uids, (uid) => [uid, this.#station.state(uid).status])),
    );
    this.#mirroredRevision = revision;
  }
}
