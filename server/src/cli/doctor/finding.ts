/** What a check of `vidette doctor` found. */
export interface Finding {
  /** What was checked, in one or two words. */
  readonly check: string;
  readonly state: 'good' | 'warning' | 'bad';
  /** One sentence. */
  readonly text: string;
  /** What the operator can do; absent if nothing has to be done. */
  readonly cure?: string;
}

export function good(check: string, text: string): Finding {
  return { check, state: 'good', text };
}

export function warning(check: string, text: string, cure: string): Finding {
  return { check, state: 'warning', text, cure };
}

export function bad(check: string, text: string, cure: string): Finding {
  return { check, state: 'bad', text, cure };
}
