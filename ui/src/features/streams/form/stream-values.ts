import type { RequestOf } from '@vidette/contract/client';
import { sourceSchemes } from '@vidette/contract/constants';
import type { Stream } from '@vidette/contract/entities';
import type { CodeFields, FieldMessages } from '../../../api/field-errors.ts';
import type { I18n } from '../../../i18n/i18n.ts';

// The values of a stream's form, their conversion into a call, and the mapping of the call's errors to fields.

type Body = RequestOf<'addStream'>['body'];
type Group<Name extends keyof Body> = Readonly<NonNullable<Body[Name]>>;

/**
 * The form's values: the groups of settings as in the calls, so that a setting that its control shows unchanged
 * needs no line here. A setting that the user has not changed is absent and gets its default. Hours are strings
 * because a select's value is.
 */
export interface StreamValues {
  readonly streamSource: string;
  readonly name: string;
  readonly tags: string[];
  /** An empty string for no zone. */
  readonly location: Omit<Group<'location'>, 'timeZone'> & {
    readonly name: string;
    readonly timeZone: string;
  };
  readonly meta: Group<'meta'>;
  readonly archive: Omit<Group<'archive'>, 'depthHours' | 'farAfterHours'> & {
    readonly isEnable: boolean;
    readonly depthHours: string;
    readonly farAfterHours: string;
  };
  readonly motion: Group<'motion'> & { readonly isEnable: boolean };
  readonly live: Group<'live'> & { readonly onDemand: boolean };
}

export const emptyValues: StreamValues = {
  streamSource: '',
  name: '',
  tags: [],
  location: { name: '', timeZone: '' },
  meta: {},
  archive: { isEnable: true, depthHours: '-1', farAfterHours: '-1' },
  motion: { isEnable: true },
  live: { onDemand: false },
};

/** A saved stream as form values. */
export function valuesOf(stream: Stream): StreamValues {
  return {
    streamSource: stream.streamSource,
    name: stream.name,
    tags: [...stream.tags],
    location: { ...stream.location, timeZone: stream.location.timeZone ?? '' },
    meta: stream.meta,
    archive: {
      ...stream.archive,
      depthHours: String(stream.archive.depthHours),
      farAfterHours: String(stream.archive.farAfterHours),
    },
    motion: stream.motion,
    live: stream.live,
  };
}

/** The form values as the calls that add and save take them. */
export function bodyOf(values: StreamValues): Body {
  return {
    name: values.name.trim(),
    streamSource: values.streamSource.trim(),
    tags: values.tags,
    location: {
      ...values.location,
      name: values.location.name.trim(),
      timeZone: values.location.timeZone || null,
    },
    meta: values.meta,
    archive: {
      ...values.archive,
      isEnable: values.archive.isEnable && !values.live.onDemand,
      depthHours: Number(values.archive.depthHours),
      farAfterHours: Number(values.archive.farAfterHours),
    },
    motion: values.motion,
    live: values.live,
  };
}

/** The field of each error code of adding, saving or probing [R8.11]. */
export const codeFields: CodeFields = {
  STREAM_SOURCE_ERR: 'streamSource',
  CREDENTIALS_ERR: 'streamSource',
  EHOSTUNREACH: 'streamSource',
  HTTP_NOT_FOUND: 'streamSource',
  HTTP_UNAUTHORIZED: 'streamSource',
  ProbeError: 'streamSource',
  STREAM_NAME_ERR: 'name',
  ARCHIVE_DEPTH_ERR: 'archive.depthHours',
};

/** The page's own text for errors that a schema reports in general terms. */
export const fieldText: FieldMessages = { name: 'stream.name.missing' };

/** Client-side check of a source address; null when it may be valid. */
export function sourceProblem(source: string, i18n: I18n): string | null {
  const trimmed = source.trim();
  if (trimmed === '') return i18n.t('stream.source.missing');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(trimmed)?.[1]?.toLowerCase();
  if (sourceSchemes.some((one) => one === scheme)) return null;
  return i18n.t('stream.source.scheme', { schemes: sourceSchemes.map((one) => `${one}:`).join(' ') });
}

/** A suggested name, derived from the address: `rtsp://admin@gate-2.lan/live` gives `gate-2.lan`. */
export function suggestedName(source: string, demoName: string): string {
  if (source.trim().toLowerCase().startsWith('demo:')) return demoName;
  return /^[a-z]+:\/\/(?:[^@/]*@)?(\[[^\]]+\]|[^:/?#]+)/i.exec(source.trim())?.[1] ?? '';
}
