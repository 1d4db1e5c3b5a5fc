import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Theme = 'light' | 'dark';

/** What axe is asked: all its rules, or only those whose answer depends on colours. */
const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'experimental'];
const everyRule = { type: 'tag', values: standards } as const;
const colorRules = {
  type: 'rule',
  values: axe
    .getRules(['cat.color'])
    .filter(({ tags }) => tags.some((tag) => standards.includes(tag)))
    .map(({ ruleId }) => ruleId),
} as const;

/** The findings of axe, serious or worse, in the page's current state, as text. */
export function seriousFaults(page: Page): Promise<string[]> {
  return faultsBy(page, everyRule);
}

/**
 * The findings in both themes, each with its theme. Names, roles and focus don't depend on the theme, so that after
 * all rules have been checked in the first one, only those about colours are checked in the other: the page stays as
 * it is, and its theme follows the system's.
 * @param first the theme that the page has; it is left with the other one
 */
export async function seriousFaultsInBothThemes(page: Page, first: Theme): Promise<string[]> {
  const second = otherTheme(first);
  await page.waitForFunction(isShownInTheme, first);
  const found = (await seriousFaults(page)).map((fault) => `${first} ${fault}`);
  await page.emulateMedia({ colorScheme: second });
  await page.waitForFunction(isShownInTheme, second);
  found.push(...(await faultsBy(page, colorRules)).map((fault) => `${second} ${fault}`));
  return found;
}

export const otherTheme = (theme: Theme): Theme => (theme === 'light' ? 'dark' : 'light');

/** Runs in the page: its colours have followed the system's theme. */
function isShownInTheme(theme: Theme): boolean {
  return (
    document.documentElement.dataset['mantineColorScheme'] === theme &&
    !document.getAnimations().some((one) => one instanceof CSSTransition && one.playState === 'running')
  );
}

async function faultsBy(page: Page, runOnly: typeof everyRule | typeof colorRules): Promise<string[]> {
  // Once for all screens of a document: it is half a megabyte of script.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async (rules) => {
    const { axe: inPage } = window as unknown as { axe: typeof axe };
    // What fades in or out while axe works, as a tooltip under the mouse, has no colours to judge yet.
    const context = {
      include: document,
      exclude: [['[style*="transition-property"]']],
    } as axe.ElementContext;
    return (await inPage.run(context, { runOnly: rules, resultTypes: ['violations'] })).violations.map(
      ({ id, impact, nodes }) => ({
        id,
        impact,
        nodes: nodes.map(({ html }) => html.slice(0, 160)),
      }),
    );
  }, runOnly);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.join(' | ')}`);
}
