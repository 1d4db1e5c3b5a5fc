/** Which form is open: of a rule or a target, by id or a new one. */
export type NotificationsSearch = {
  readonly rule?: number | 'new';
  readonly target?: number | 'new';
};

/** Parses the search parameters; at most one form is open. */
export function notificationsSearch({
  rule,
  target,
}: Readonly<Record<string, unknown>>): NotificationsSearch {
  const [openRule, openTarget] = [opened(rule), opened(target)];
  if (openRule !== undefined) return { rule: openRule };
  return openTarget === undefined ? {} : { target: openTarget };
}

function opened(value: unknown): number | 'new' | undefined {
  if (value === 'new') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
