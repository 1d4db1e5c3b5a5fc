import { commandTroubleOf } from './command-trouble.ts';

type Print = (line: string) => void;

/** Adds what a command has found out to its answer for programs. */
export type Tell = (facts: Readonly<Record<string, unknown>>) => void;

/**
 * Runs a command for a program (`--json`): instead of its lines, it prints one object when it ends, with its exit code, the
 * lines as `messages`, and the facts that the command tells.
 */
export async function answerInJson(
  run: (out: Print, tell: Tell) => Promise<number>,
  print: Print,
): Promise<number> {
  const messages: string[] = [];
  const facts: Record<string, unknown> = {};
  let exitCode = 1;
  try {
    exitCode = await run(
      (line) => void messages.push(line),
      (more) => void Object.assign(facts, more),
    );
  } catch (error) {
    const trouble = commandTroubleOf(error);
    if (trouble === undefined) throw error;
    messages.push(trouble);
  }
  print(JSON.stringify({ exitCode, messages, ...facts }));
  return exitCode;
}
