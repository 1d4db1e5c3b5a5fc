import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The findings of axe, serious or worse, in the page's current state, as text. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: inPage } = window as unknown as { axe: typeof axe };
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'experimental'];
    const runOnly = { type: 'tag', values } as const;
    return (await inPage.run(document, { runOnly, resultTypes: ['violations'] })).violations.map(
      ({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html.slice(0, 160)) }),
    );
  });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.join(' | ')}`);
}
