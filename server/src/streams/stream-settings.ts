import { settingGroups, type Stream, type StreamSettings } from '@vidette/contract/entities';
import type { StreamRecord } from '../store/stream-row.ts';

// The settings of a stream are passed between a call and the store as a whole: no setting is named on the way,
// unless code acts on it.

type Groups = Pick<StreamSettings, (typeof settingGroups)[number]>;
/** Groups of settings, of which any member may be absent. */
type SomeGroups = {
  readonly [Group in keyof Groups]?: Readonly<Partial<Undefined<Groups[Group]>>> | undefined;
};
type Undefined<Members> = { [Member in keyof Members]: Members[Member] | undefined };

/** The settings of a stream as calls name them, with its addresses as `shown` gives them. */
export function settingsShown(
  stream: StreamRecord,
  shown: (source: string) => string,
): StreamSettings & Pick<Stream, 'streamSource' | 'subStreamSource'> {
  return {
    name: stream.name,
    streamSource: shown(stream.source),
    subStreamSource: stream.subSource === null ? null : shown(stream.subSource),
    tags: [...stream.tags],
    ...merged(stream, {}),
  };
}

/** The groups of `settings` with the members that `changes` gives. */
export function merged<Settings extends SomeGroups>(
  settings: Settings,
  changes: SomeGroups,
): Pick<Settings, keyof Groups & keyof Settings> & SomeGroups {
  const groups = settingGroups.map((name) => {
    const given = Object.entries(changes[name] ?? {}).filter(([, value]) => value !== undefined);
    return [name, { ...settings[name], ...Object.fromEntries(given) }];
  });
  return Object.fromEntries(groups) as Settings;
}
