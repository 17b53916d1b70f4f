import { expect, test } from '@playwright/test';
import { type Seeded, seed } from '../support/seed.js';
import { type BareStage, startBareStage } from '../support/stage.js';
import { complaintsOf, expectAccessible, picture, signIn } from '../support/story.js';

/** The last two stand in environments of their own. */
const HOSTS = ['127.0.2.1', '127.0.2.2', '127.0.2.3', '127.0.2.4', '127.0.2.5'];

let stage: BareStage;
let seeded: Seeded;

test.beforeAll(async () => {
  stage = await startBareStage(HOSTS);
  seeded = await seed(stage.runward, stage.fleet);
});
test.afterAll(() => stage?.end());

const PAGES: [name: string, path: (seeded: Seeded) => string, heading: string | RegExp][] = [
  ['dashboard', () => '/', 'Dashboard'],
  ['plans', () => '/plans', 'Plans'],
  ['plan', ({ planId }) => `/plans/${planId}`, 'Restart web'],
  ['new-plan', () => '/plans/new', 'New plan'],
  ['start', ({ planId }) => `/plans?start=${planId}`, 'Plans'],
  ['runs', () => '/executions', 'Runs'],
  ['green-run', ({ greenRunId }) => `/executions/${greenRunId}`, 'Restart web'],
  ['red-run', ({ redRunId }) => `/executions/${redRunId}`, 'Restart web'],
  ['asking-run', ({ askingRunId }) => `/executions/${askingRunId}`, 'Restart web'],
  ['failing-run', ({ failingRunId }) => `/executions/${failingRunId}`, 'Restart web'],
  ['dry-run', ({ dryRunId }) => `/executions/${dryRunId}`, 'Restart web'],
  ['lost-run', ({ lostRunId }) => `/executions/${lostRunId}`, 'Lose a command'],
  ['start-protected', ({ planId, askingRunId }) => `/plans?start=${planId}&again=${askingRunId}`, 'Plans'],
  ['servers', () => '/servers', 'Servers'],
  ['import-servers', () => '/servers/import', 'Import servers'],
  ['past-imports', () => '/servers/imports', 'Past imports'],
  ['new-server', () => '/servers?edit=new', 'Servers'],
  ['environments', () => '/environments', 'Environments'],
  ['environment', ({ environmentId }) => `/environments/${environmentId}`, 'staging'],
  ['grants', ({ environmentId }) => `/environments/${environmentId}?tab=access`, 'staging'],
  ['protection', ({ environmentId }) => `/environments/${environmentId}?tab=protection`, 'staging'],
  ['keys', () => '/keys', 'SSH keys'],
  ['members', () => '/settings/members', 'Members'],
  ['sessions', () => '/settings/sessions', 'Sessions and password'],
  ['audit', () => '/audit', 'Audit trail'],
  ['tokens', () => '/settings/tokens', 'API tokens'],
];

/** The pages of the dark theme have the same elements as those of the light one. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

for (const [look, options, rules] of [
  ['light', { colorScheme: 'light' }, undefined],
  ['dark', { colorScheme: 'dark' }, OF_COLOURS],
  ['narrow', { colorScheme: 'light', viewport: { width: 420, height: 860 } }, undefined],
] as const) {
  test(`every page is readable and hinders nobody: ${look}`, async ({ browser }) => {
    test.setTimeout(600_000);
    const context = await browser.newContext({ ...options, locale: 'en-GB', reducedMotion: 'reduce' });
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await signIn(page, stage.runward);
    for (const [name, path, heading] of PAGES) {
      await test.step(name, async () => {
        await page.goto(stage.runward.url + path(seeded));
        await expect(
          page.getByRole('heading', { name: heading, level: 1, includeHidden: true }).first(),
        ).toBeAttached();
        await expect(page.getByLabel('Loading')).toHaveCount(0);
        // The stream of a run that goes on never falls silent.
        const stream = page.getByTestId('stream-state');
        if ((await stream.count()) > 0) await expect(stream).toHaveAttribute('data-state', 'live');
        else await page.waitForLoadState('networkidle');
        await picture(page, `${look}-${name}`);
        await expectAccessible(page, rules);
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow, 'the page itself does not scroll sideways').toBeLessThanOrEqual(0);
      });
    }
    expect(complaints).toEqual([]);
    await context.close();
  });
}
