import { expect, type Page } from '@playwright/test';
import axe, { type AxeResults, type ElementContext, type RunOptions } from 'axe-core';

/** WCAG 2.2 AA, as far as axe can verify it. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Result for a page: elements that violate each rule, and the number of elements that passed. */
export interface AxeFindings {
  violations: { id: string; at: string[] }[];
  passed: number;
}

interface ScanOptions {
  only?: readonly string[];
  without?: readonly string[];
  /** CSS selector of the element to scan; default: the whole page. */
  within?: string;
  /** Also counts elements that pass, which takes twice as long. */
  countPassed?: boolean;
}

/** Transitions, such as a change of colour scheme, begin some frames after their cause. */
const UNCHANGED_FRAMES = 8;
const MAX_REST_WAIT_MS = 10_000;

/**
 * Waits until transitions have ended, because people do not read colours in the middle of a transition. Ignores endless
 * animations.
 */
export async function waitUntilAtRest(page: Page): Promise<void> {
  await page.evaluate(
    async ([frames, withinMs]) => {
      const moves = ({ effect, playState }: Animation) =>
        playState === 'running' && effect?.getComputedTiming().endTime !== Infinity;
      const until = performance.now() + withinMs;
      for (let quiet = 0; quiet < frames && performance.now() < until; ) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        quiet = document.getAnimations().some(moves) ? 0 : quiet + 1;
      }
    },
    [UNCHANGED_FRAMES, MAX_REST_WAIT_MS] as const,
  );
}

/** Maximum number of scans if something moves, such as a notification. */
const MAX_SCANS = 3;

export async function scanPage(page: Page, reading: ScanOptions = {}): Promise<AxeFindings> {
  for (let look = 1; ; look += 1) {
    const { moved, ...findings } = await scanOnce(page, reading);
    if (!moved || look === MAX_SCANS) return findings;
  }
}

/** Loads axe once, because the page has no frames, and returns only the results that are needed. */
async function scanOnce(page: Page, reading: ScanOptions): Promise<AxeFindings & { moved: boolean }> {
  const { only, without = [], within, countPassed = false } = reading;
  await waitUntilAtRest(page);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const options: RunOptions = {
    runOnly: only ? { type: 'rule', values: [...only] } : { type: 'tag', values: WCAG },
    rules: Object.fromEntries(without.map((id) => [id, { enabled: false }])),
    resultTypes: countPassed ? ['violations', 'passes'] : ['violations'],
  };
  return page.evaluate(
    async ([place, how]) => {
      const { axe: axeInPage } = window as unknown as {
        axe: { run(where: ElementContext, how: RunOptions): Promise<AxeResults> };
      };
      let moved = false;
      const seen = new AbortController();
      for (const event of ['transitionrun', 'animationstart'])
        document.addEventListener(event, () => (moved = true), { signal: seen.signal });
      const { violations, passes } = await axeInPage.run(place ?? document, how);
      seen.abort();
      return {
        moved,
        violations: violations.map(({ id, nodes }) => ({
          id,
          at: nodes.map(({ target, html }) => `${target.join(' ')}: ${html.slice(0, 300)}`),
        })),
        passed: passes.reduce((sum, { nodes }) => sum + nodes.length, 0),
      };
    },
    [within, options] as const,
  );
}

export async function expectAccessible(page: Page, reading: Pick<ScanOptions, 'only' | 'without'> = {}): Promise<void> {
  expect((await scanPage(page, reading)).violations).toEqual([]);
}
