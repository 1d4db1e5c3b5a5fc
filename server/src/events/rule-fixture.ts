import type { RuleDefinition } from '../store/rules.ts';

/** A rule without conditions and actions, for tests, which add the kinds of events. */
export const plainRule: Omit<RuleDefinition, 'kinds'> = {
  streams: [],
  tags: [],
  schedule: null,
  minSeconds: 0,
  count: null,
  unattended: false,
  otherRule: null,
  exports: null,
  hold: null,
  cooldownSeconds: 0,
  perHourMax: 60,
  targets: [],
  bookmarks: false,
};
