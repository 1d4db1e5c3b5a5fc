import { limits } from '@vidette/contract/constants';
import { parse, YAMLParseError } from 'yaml';
import { Fault } from '../../base/fault.ts';
import { parseSourceAddress } from '../../dial/address.ts';
import type { RecordPath } from './recording-template.ts';

/** A stream that the configuration of another program describes. */
export interface FoundStream {
  readonly name: string;
  /** With login and password. */
  readonly source: string;
  readonly subSource: string | null;
  readonly tags: readonly string[];
  readonly isRecorded: boolean;
  readonly isOnDemand: boolean;
  /** Hours; undefined: the other program says nothing that could be kept. */
  readonly depthHours: number | undefined;
  /** What the operator should know of its source. */
  readonly remark?: string;
}

/** Recordings that the other program may have of a camera. */
export interface FoundCamera {
  /** Of the stream that gets them. */
  readonly name: string;
  /** As the paths of recordings name it. */
  readonly camera: string;
  /** Where they are, if the configuration says so for each camera. */
  readonly recordPath?: RecordPath | undefined;
}

/** What was found in a configuration. */
export interface Found {
  readonly streams: readonly FoundStream[];
  /** Also those whose addresses can't be used: the stream may have been added by hand. */
  readonly cameras: readonly FoundCamera[];
  /** What can't be taken over, one sentence each, without passwords. */
  readonly left: readonly string[];
}

/** The configuration can't be read; the message is one line for the operator, or the reason in it. */
export class ForeignConfigError extends Error {}

/** What a program's configuration says of a stream, to be checked. */
interface Description {
  readonly name: string;
  readonly source: string | undefined;
  readonly subSource?: string | undefined;
  readonly tags?: readonly string[];
  readonly isRecorded: boolean;
  readonly isOnDemand?: boolean;
  readonly depthHours?: number | undefined;
  readonly remark?: string;
}

/** Collects streams whose addresses this server can use, and says why others are left out. */
export class Finding {
  readonly #streams: FoundStream[] = [];
  readonly #cameras: FoundCamera[] = [];
  readonly #left: string[] = [];

  /** Something that can't be taken over. */
  leave(text: string): void {
    this.#left.push(text);
  }

  /** A camera that may have recordings. */
  addCamera({ name, ...others }: FoundCamera): void {
    this.#cameras.push({ ...others, name: shownName(name) });
  }

  add(description: Description): void {
    const {
      name,
      source,
      subSource,
      tags = [],
      isRecorded,
      isOnDemand = false,
      depthHours,
      remark,
    } = description;
    const shown = shownName(name);
    const reason = source === undefined ? 'it has no address' : refusalOf(source);
    if (shown === '' || source === undefined || reason !== undefined) {
      this.leave(`${shown || 'A stream without a name'}: ${reason ?? 'it has no name'}.`);
      return;
    }
    const subReason = subSource === undefined ? undefined : refusalOf(subSource);
    if (subReason !== undefined) this.leave(`${shown}, sub-stream: ${subReason}.`);
    const depth = depthHours === undefined ? undefined : Math.max(1, Math.round(depthHours));
    this.#streams.push({
      name: shown,
      source,
      subSource:
        subSource === undefined || subReason !== undefined || subSource === source ? null : subSource,
      tags: [...new Set(tags.map((tag) => tag.trim().slice(0, limits.tagMaxLength)))]
        .filter(Boolean)
        .slice(0, limits.tagsMax),
      isRecorded,
      isOnDemand,
      depthHours: depth,
      ...(remark !== undefined && { remark }),
    });
  }

  get found(): Found {
    return { streams: this.#streams, cameras: this.#cameras, left: this.#left };
  }
}

/** A name as a stream can have it. */
export function shownName(name: string): string {
  return name.trim().slice(0, limits.nameMaxLength);
}

/** Why an address can't be used; undefined: it can. */
function refusalOf(source: string): string | undefined {
  try {
    parseSourceAddress(source);
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.message.replace(/\.$/, '');
  }
}

/** Uses of an anchor. A hundred, the parser's own limit, are not enough where many cameras have the same settings. */
const aliasesMax = 10_000;

/** Parses YAML with aliases and `<<`. @throws ForeignConfigError without the text, which contains passwords */
export function settingsInYaml(text: string): Settings {
  try {
    // Warnings would be printed with the text.
    return objectIn(parse(text, { merge: true, maxAliasCount: aliasesMax, logLevel: 'error' }));
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    // An alias without its anchor, for example, has no place.
    const line = cause instanceof YAMLParseError ? cause.linePos?.[0].line : undefined;
    const where = line === undefined ? '' : ` (line ${line})`;
    throw new ForeignConfigError(`it is not valid YAML${where}`, { cause });
  }
}

/** Members of something parsed. */
export type Settings = Readonly<Record<string, unknown>>;

/** A member of something parsed, if it is an object. */
export function objectIn(value: unknown): Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Settings) : {};
}

/** Also the words of YAML 1.1, which many configurations have. */
export function isYes(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^(?:yes|on)$/i.test(value));
}

export function isNo(value: unknown): boolean {
  return value === false || (typeof value === 'string' && /^(?:no|off)$/i.test(value));
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A number, or text that is one. */
export function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const text = textIn(value);
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
