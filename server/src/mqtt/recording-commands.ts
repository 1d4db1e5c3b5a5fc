import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { AuditEvent } from '../system/audit-event.ts';

export interface RecordingCommandsOptions {
  /** Whether this node carries out commands for a stream: exactly one node does. */
  readonly isOwn: (uid: string) => boolean;
  /** Switches recording. @throws Fault */
  readonly setRecorded: (uid: string, isRecorded: boolean) => Promise<'changed' | 'unchanged'>;
  readonly audit: (event: AuditEvent) => void;
  /** Called after a command, whatever came of it. */
  readonly onDone: (uid: string) => void;
  /** Of the broker, for the audit log. */
  readonly broker: () => string;
  readonly log: Log;
}

/** Streams whose commands wait; commands for further streams are rejected until some are carried out. */
const waitingMax = 1_000;
const payloads: ReadonlyMap<string, boolean> = new Map([
  ['ON', true],
  ['OFF', false],
]);

/** Carries out the commands that switch recording, one after the other: for each stream only the newest that waits. */
export class RecordingCommands {
  readonly #options: RecordingCommandsOptions;
  readonly #waiting = new Map<string, boolean>();
  #running: Promise<void> | undefined;

  constructor(options: RecordingCommandsOptions) {
    this.#options = options;
  }

  /** Takes a command; anything else than `ON` and `OFF` is ignored. */
  take(uid: string, payload: Uint8Array): void {
    const isRecorded = payloads.get(Buffer.from(payload.subarray(0, 8)).toString('latin1'));
    if (isRecorded === undefined || !this.#options.isOwn(uid)) return;
    if (this.#waiting.size >= waitingMax && !this.#waiting.has(uid)) {
      this.#options.log.warn({ stream: uid }, 'Too many MQTT commands wait: one is ignored');
      return;
    }
    this.#waiting.set(uid, isRecorded);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits for what is being carried out, and discards the rest. */
  async close(): Promise<void> {
    this.#waiting.clear();
    await this.#running;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    for (let next = this.#waiting.entries().next(); !next.done; next = this.#waiting.entries().next()) {
      const [uid, isRecorded] = next.value;
      this.#waiting.delete(uid);
      await this.#carryOut(uid, isRecorded);
    }
  }

  async #carryOut(uid: string, isRecorded: boolean): Promise<void> {
    const { setRecorded, audit, onDone, broker, log } = this.#options;
    const note = (outcome: string) =>
      audit({
        login: null,
        ip: '',
        action: 'mqttRecording',
        target: uid,
        outcome,
        details: { broker: broker(), changes: { 'archive.isEnable': [!isRecorded, isRecorded] } },
      });
    try {
      if ((await setRecorded(uid, isRecorded)) === 'changed') note('ok');
    } catch (error) {
      if (error instanceof Fault) note(error.code);
      log.warn({ err: error, stream: uid }, 'An MQTT command was not carried out');
    } finally {
      onDone(uid);
    }
  }
}
