// The verdict on the outcomes of all test files. A machine that froze for ten seconds must not look like a
// broken product, and a product that works only every other time must not look like a slow machine: so only
// whole-product files are run again, each of those is named, and more than a few of them fail the run.

/** @typedef {{ passed: number, failed: number, skipped: number, failures: string[] }} Outcome */
/** @typedef {{ path: string, first: Outcome, second?: Outcome | undefined }} FileRun A file below the root, its run and its second one. */

/** Maximum number of files that may pass only on their second run before the whole run counts as failed. */
export const unsteadyAllowed = 4;

/**
 * Whether a failed file may be run once more. A unit test does not wait for other processes: its failure is an
 * error, in the test or in the product. Files of `e2e/` start servers, nodes and browsers.
 * @param {string} path below the root
 */
export function mayRunAgain(path) {
  return path.startsWith('e2e/');
}

/**
 * The figures of the last line, and the lines before it.
 * @param {readonly FileRun[]} runs
 * @returns {{ passed: number, failed: number, skipped: number, unsteady: string[], lines: string[], isGood:
 * boolean }}
 */
export function verdictOf(runs) {
  const unsteady = runs.filter(({ second }) => second && second.failed === 0).map(({ path }) => path);
  const total = (/** @type {'passed' | 'failed' | 'skipped'} */ key) =>
    runs.reduce((sum, { first, second }) => sum + (second ?? first)[key], 0);
  const [passed, failed, skipped] = [total('passed'), total('failed'), total('skipped')];
  const isSteady = unsteady.length <= unsteadyAllowed;
  const lines = [
    ...(unsteady.length
      ? [
          `UNSTEADY: ${unsteady.length} (${unsteady.join(', ')})${isSteady ? '' : ': too many, the run fails'}`,
        ]
      : []),
    `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`,
  ];
  return { passed, failed, skipped, unsteady, lines, isGood: failed === 0 && isSteady };
}
