/**
 * Runs regular expressions on a machine that backtracks as JavaScript's engines do and counts its steps, so
 * that a test can determine how their cost grows without a clock. It supports the syntax that the sources use:
 * no back references, no `v` flag.
 */

type Node =
  | { readonly kind: 'atom'; readonly source: string }
  | { readonly kind: 'edge'; readonly source: string }
  | { readonly kind: 'look'; readonly isBehind: boolean; readonly isNegative: boolean; readonly body: Node }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  | Loop;

interface Loop {
  readonly kind: 'loop';
  readonly min: number;
  readonly max: number;
  readonly isLazy: boolean;
  readonly body: Node;
}

type MachineStep =
  | { readonly do: 'atom'; readonly matches: (character: string) => boolean }
  | { readonly do: 'edge'; readonly holds: (text: string, at: number) => boolean }
  | {
      readonly do: 'look';
      readonly isBehind: boolean;
      readonly isNegative: boolean;
      readonly body: readonly MachineStep[];
    }
  /** Continues at the first step, and at the second when that fails. */
  | { readonly do: 'split'; first: number; second: number }
  | { readonly do: 'jump'; to: number }
  /** A round of a loop that consumed nothing is the last. */
  | { readonly do: 'mark'; readonly slot: number }
  | { readonly do: 'moved'; readonly slot: number }
  | { readonly do: 'done' };

/** Thrown when the limit of steps is exceeded. */
export class TooManySteps extends Error {}

export class RegExpMachine {
  /** Single characters and classes, as written. */
  readonly atoms: readonly ((character: string) => boolean)[];
  readonly loops: readonly Loop[];
  readonly #root: Node;
  readonly #flags: string;
  readonly #program: readonly MachineStep[];
  #slots = 0;

  constructor(pattern: string, flags: string) {
    this.#flags = flags;
    this.#root = new PatternReader(pattern, flags).read();
    const program: MachineStep[] = [];
    this.#emit(this.#root, program);
    program.push({ do: 'done' });
    this.#program = program;
    const nodes = [...walk(this.#root)];
    this.atoms = nodes.filter((node) => node.kind === 'atom').map(({ source }) => this.#atom(source));
    this.loops = nodes.filter((node) => node.kind === 'loop');
  }

  /**
   * The number of steps to find the first match in a text, or with `g` all matches.
   * @throws TooManySteps
   */
  count(
    text: string,
    most: number,
  ): { readonly steps: number; readonly matches: readonly [number, number][] } {
    const budget = { left: most };
    const matches: [number, number][] = [];
    let from = 0;
    while (from <= text.length) {
      const end = run(this.#program, text, from, budget, this.#slots, this.#isUnicode);
      if (end === undefined) {
        if (this.#flags.includes('y')) break;
        from++;
        continue;
      }
      matches.push([from, end]);
      if (!this.#flags.includes('g')) break;
      from = Math.max(end, from + 1);
    }
    return { steps: most - budget.left, matches };
  }

  /**
   * Texts that lead the machine from the beginning to each loop, and the text that one round of each consumes.
   */
  samples(letters: readonly string[]): { readonly prefixes: string[]; readonly rounds: string[] } {
    const prefixes = new Set(['']);
    const rounds = new Set<string>();
    const letterOf = (source: string) => letters.find(this.#atom(source)) ?? '';
    const visit = (node: Node, before: string): string => {
      switch (node.kind) {
        case 'atom':
          return before + letterOf(node.source);
        case 'sequence':
          return node.parts.reduce((text, part) => visit(part, text), before);
        case 'choice':
          return node.options.map((option) => visit(option, before))[0] ?? before;
        case 'loop': {
          prefixes.add(before);
          rounds.add(visit(node.body, ''));
          const once = visit(node.body, before);
          return node.min > 0 ? once : before;
        }
        case 'edge':
        case 'look':
          return before;
        default:
          throw new Error('no such node');
      }
    };
    prefixes.add(visit(this.#root, ''));
    return { prefixes: [...prefixes], rounds: [...rounds].filter((text) => text !== '') };
  }

  get #isUnicode(): boolean {
    return this.#flags.includes('u');
  }

  /** A single atom is matched by the engine itself, which handles case, classes and Unicode properties. */
  #atom(source: string): (character: string) => boolean {
    const expression = new RegExp(`^(?:${source})$`, this.#flags.replace(/[gym]/g, ''));
    const known = new Map<string, boolean>();
    return (character) => {
      let answer = known.get(character);
      if (answer === undefined) known.set(character, (answer = expression.test(character)));
      return answer;
    };
  }

  #edge(source: string): (text: string, at: number) => boolean {
    const expression = new RegExp(source, `${this.#flags.replace(/[gy]/g, '')}y`);
    // The two adjacent characters decide about the boundary of a word, a line or the text.
    return (text, at) => {
      const from = Math.max(0, at - 1);
      const [lead, tail] = [from > 0 ? 'x' : '', at + 1 < text.length ? 'x' : ''];
      expression.lastIndex = lead.length + at - from;
      return expression.test(lead + text.slice(from, at + 1) + tail);
    };
  }

  #emit(node: Node, into: MachineStep[]): void {
    switch (node.kind) {
      case 'atom':
        into.push({ do: 'atom', matches: this.#atom(node.source) });
        return;
      case 'edge':
        into.push({ do: 'edge', holds: this.#edge(node.source) });
        return;
      case 'look': {
        const body: MachineStep[] = [];
        this.#emit(node.body, body);
        body.push({ do: 'done' });
        into.push({ do: 'look', isBehind: node.isBehind, isNegative: node.isNegative, body });
        return;
      }
      case 'sequence':
        for (const part of node.parts) this.#emit(part, into);
        return;
      case 'choice':
        this.#emitChoice(node.options, into);
        return;
      case 'loop':
        this.#emitLoop(node, into);
        return;
      default:
        throw new Error('no such node');
    }
  }

  #emitChoice(options: readonly Node[], into: MachineStep[]): void {
    const jumps: { do: 'jump'; to: number }[] = [];
    options.forEach((option, index) => {
      if (index === options.length - 1) {
        this.#emit(option, into);
        return;
      }
      const split = { do: 'split' as const, first: into.length + 1, second: 0 };
      into.push(split);
      this.#emit(option, into);
      const jump = { do: 'jump' as const, to: 0 };
      jumps.push(jump);
      into.push(jump);
      split.second = into.length;
    });
    for (const jump of jumps) jump.to = into.length;
  }

  #emitLoop({ min, max, isLazy, body }: Loop, into: MachineStep[]): void {
    for (let round = 0; round < min; round++) this.#emit(body, into);
    const splits: { do: 'split'; first: number; second: number }[] = [];
    const split = () => {
      const step = { do: 'split' as const, first: into.length + 1, second: into.length + 1 };
      splits.push(step);
      into.push(step);
      return step;
    };
    if (max === Infinity) {
      const slot = this.#slots++;
      const start = into.length;
      split();
      into.push({ do: 'mark', slot });
      this.#emit(body, into);
      into.push({ do: 'moved', slot }, { do: 'jump', to: start });
    } else {
      for (let round = min; round < max; round++) {
        split();
        this.#emit(body, into);
      }
    }
    for (const step of splits) {
      if (isLazy) [step.first, step.second] = [into.length, step.first];
      else step.second = into.length;
    }
  }
}

/** Where a match that begins at `from` ends; undefined when there is none. */
function run(
  program: readonly MachineStep[],
  text: string,
  from: number,
  budget: { left: number },
  slots: number,
  isUnicode: boolean,
): number | undefined {
  const marks = new Int32Array(slots).fill(-1);
  /** Where to continue after a failure: a step and a position, or a slot to restore, as `-1 - slot`. */
  const choices: number[] = [];
  let [step, at] = [0, from];
  for (;;) {
    if (budget.left-- <= 0) throw new TooManySteps();
    const now = program[step] as MachineStep;
    let isGood = true;
    step++;
    switch (now.do) {
      case 'done':
        return at;
      case 'atom': {
        const size = isUnicode && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
        isGood = at < text.length && now.matches(text.slice(at, at + size));
        if (isGood) at += size;
        break;
      }
      case 'edge':
        isGood = now.holds(text, at);
        break;
      case 'look':
        isGood = looks(now, text, at, budget, slots, isUnicode) !== now.isNegative;
        break;
      case 'split':
        choices.push(now.second, at);
        step = now.first;
        break;
      case 'jump':
        step = now.to;
        break;
      case 'mark':
        choices.push(-1 - now.slot, marks[now.slot] as number);
        marks[now.slot] = at;
        break;
      case 'moved':
        isGood = marks[now.slot] !== at;
        break;
      default:
        throw new Error('no such step');
    }
    if (isGood) continue;
    const resumed = lastChoice(choices, marks);
    if (!resumed) return undefined;
    [step, at] = resumed;
  }
}

/** The step and position to continue with after a failure, slots restored; undefined when no choice is left. */
function lastChoice(choices: number[], marks: Int32Array): [step: number, at: number] | undefined {
  for (;;) {
    const [value, next] = [choices.pop(), choices.pop()];
    if (value === undefined || next === undefined) return undefined;
    if (next >= 0) return [next, value];
    marks[-1 - next] = value;
  }
}

function looks(
  look: Extract<MachineStep, { do: 'look' }>,
  text: string,
  at: number,
  budget: { left: number },
  slots: number,
  isUnicode: boolean,
): boolean {
  if (!look.isBehind) return run(look.body, text, at, budget, slots, isUnicode) !== undefined;
  // The sources use lookbehind only with a fixed length.
  for (let from = at; from >= Math.max(0, at - 16); from--) {
    if (run(look.body, text.slice(0, at), from, budget, slots, isUnicode) === at) return true;
  }
  return false;
}

function* walk(node: Node): Generator<Node> {
  yield node;
  if (node.kind === 'sequence') for (const part of node.parts) yield* walk(part);
  if (node.kind === 'choice') for (const option of node.options) yield* walk(option);
  if (node.kind === 'loop' || node.kind === 'look') yield* walk(node.body);
}

class PatternReader {
  readonly #pattern: string;
  readonly #isUnicode: boolean;
  #at = 0;

  constructor(pattern: string, flags: string) {
    this.#pattern = pattern;
    this.#isUnicode = flags.includes('u');
  }

  read(): Node {
    const root = this.#choice();
    if (this.#at < this.#pattern.length) throw this.#unknown();
    return root;
  }

  #choice(): Node {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return options.length === 1 ? (options[0] as Node) : { kind: 'choice', options };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at] ?? '')) {
      parts.push(this.#quantified(this.#part()));
    }
    return { kind: 'sequence', parts };
  }

  #part(): Node {
    for (const [sign, isBehind, isNegative] of [
      ['(?=', false, false],
      ['(?!', false, true],
      ['(?<=', true, false],
      ['(?<!', true, true],
    ] as const) {
      if (this.#take(sign)) return { kind: 'look', isBehind, isNegative, body: this.#groupEnd() };
    }
    if (this.#take('(?:') || this.#takeMatch(/\(\?<\w+>/y) || this.#take('(')) return this.#groupEnd();
    const edge = this.#takeMatch(/\^|\$|\\b|\\B/y);
    if (edge !== undefined) return { kind: 'edge', source: edge };
    const atom = this.#takeMatch(
      /\[(?:[^\]\\]|\\.)*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[^1-9k]|[^\\()[\]|*+?]/sy,
    );
    if (atom === undefined) throw this.#unknown();
    const isHighHalf = this.#isUnicode && /^[\ud800-\udbff]$/.test(atom);
    return { kind: 'atom', source: isHighHalf ? atom + this.#pattern[this.#at++] : atom };
  }

  #groupEnd(): Node {
    const body = this.#choice();
    if (!this.#take(')')) throw this.#unknown();
    return body;
  }

  #quantified(body: Node): Node {
    const sign = this.#takeMatch(/[*+?]|\{\d+(?:,\d*)?\}/y);
    if (sign === undefined) return body;
    const isLazy = this.#take('?');
    const [, low = '0', comma, high = ''] = /^\{(\d+)(,)?(\d*)\}$/.exec(sign) ?? [];
    const [min, max] =
      sign === '*'
        ? [0, Infinity]
        : sign === '+'
          ? [1, Infinity]
          : sign === '?'
            ? [0, 1]
            : [Number(low), comma === undefined ? Number(low) : high === '' ? Infinity : Number(high)];
    return { kind: 'loop', min, max, isLazy, body };
  }

  #take(sign: string): boolean {
    if (!this.#pattern.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  #takeMatch(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at;
    const [text] = sticky.exec(this.#pattern) ?? [];
    if (text !== undefined) this.#at += text.length;
    return text;
  }

  #unknown(): Error {
    return new Error(`not supported by the machine: ${this.#pattern.slice(this.#at)} in ${this.#pattern}`);
  }
}
