import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf } from '../support/api.js';
import { type SeededRecords, seed } from '../support/seed.js';
import { type SeededInventory, seedInventory } from '../support/seed-inventory.js';
import { type BareStage, startBareStage } from '../support/stage.js';
import { collectConsoleErrors, takeScreenshot, signIn } from '../support/page-helpers.js';

/** The last two hosts are in separate environments. */
const HOSTS = ['127.0.2.1', '127.0.2.2', '127.0.2.3', '127.0.2.4', '127.0.2.5'];

let stage: BareStage;
let seeded: SeededRecords & SeededInventory;

test.beforeAll(async () => {
  stage = await startBareStage(HOSTS);
  const runs = await seed(stage.runward, stage.fleet);
  seeded = { ...runs, ...(await seedInventory(await apiOf(stage.runward), stage.fleet)) };
});
test.afterAll(() => stage?.end());

const PAGES: [name: string, path: (seeded: SeededRecords & SeededInventory) => string, heading: string | RegExp][] = [
  ['overview', () => '/', 'Overview'],
  ['trends', () => '/trends', 'Trends'],
  ['plans', () => '/plans', 'Plans'],
  ['collection', ({ collectionId }) => `/plans?collection=${collectionId}`, 'Plans'],
  ['plan', ({ planId }) => `/plans/${planId}`, 'Restart web'],
  ['plan-editor', ({ planId }) => `/plans/${planId}?tab=edit`, 'Restart web'],
  ['new-plan', () => '/plans/new', 'New plan'],
  ['import-plans', () => '/plans/import', 'Import plans'],
  ['start', ({ planId }) => `/plans?start=${planId}`, 'Plans'],
  ['runs', () => '/executions', 'Runs'],
  ['green-run', ({ succeededRunId }) => `/executions/${succeededRunId}`, 'Restart web'],
  ['red-run', ({ failedRunId }) => `/executions/${failedRunId}`, 'Restart web'],
  ['compare', ({ failedRunId }) => `/executions/${failedRunId}/compare`, 'Compare runs'],
  ['report', ({ failedRunId }) => `/executions/${failedRunId}/report`, 'Restart web'],
  ['asking-run', ({ pausedRunId }) => `/executions/${pausedRunId}`, 'Restart web'],
  ['failing-run', ({ failingRunId }) => `/executions/${failingRunId}`, 'Restart web'],
  ['dry-run', ({ dryRunId }) => `/executions/${dryRunId}`, 'Restart web'],
  ['lost-run', ({ unknownRunId }) => `/executions/${unknownRunId}`, 'Lose a command'],
  ['start-protected', ({ planId, pausedRunId }) => `/plans?start=${planId}&again=${pausedRunId}`, 'Plans'],
  ['git-sources', () => '/git-sources', 'Git sources'],
  ['git-source', ({ gitSourceId }) => `/git-sources/${gitSourceId}`, 'plans'],
  ['new-git-source', () => '/git-sources?open=new', 'Git sources'],
  ['webhooks', () => '/webhooks', 'Webhooks'],
  ['new-webhook', () => '/webhooks?open=new', 'Webhooks'],
  ['webhook', ({ webhookId }) => `/webhooks/${webhookId}`, 'Board'],
  ['delivery', ({ webhookId, deliveryId }) => `/webhooks/${webhookId}?delivery=${deliveryId}`, 'Board'],
  ['notifications', () => '/notifications', 'Notifications'],
  ['notification-rule', ({ notificationRuleId }) => `/notifications/${notificationRuleId}`, 'To the on-call channel'],
  ['new-notification-rule', () => '/notifications?open=new', 'Notifications'],
  ['servers', () => '/servers', 'Servers'],
  ['import-servers', () => '/servers/import', 'Import servers'],
  ['past-imports', () => '/servers/imports', 'Past imports'],
  ['new-server', () => '/servers?edit=new', 'Servers'],
  ['enrol', () => '/servers?enrol=new', 'Servers'],
  ['enrolments', () => '/servers/enrolments', 'Enrolments'],
  ['server', ({ serverId }) => `/servers/${serverId}`, 'web-1'],
  ['server-facts', ({ serverId }) => `/servers/${serverId}?tab=facts`, 'web-1'],
  ['server-runs', ({ serverId }) => `/servers/${serverId}?tab=runs`, 'web-1'],
  ['doctor', ({ serverId }) => `/servers/${serverId}?open=doctor`, 'web-1'],
  ['server-behind', ({ unreachableServerId }) => `/servers/${unreachableServerId}`, 'cellar-1'],
  ['server-variables', ({ unreachableServerId }) => `/servers/${unreachableServerId}?tab=variables`, 'cellar-1'],
  ['server-host-keys', ({ unreachableServerId }) => `/servers/${unreachableServerId}?tab=host-key`, 'cellar-1'],
  ['server-form', ({ unreachableServerId }) => `/servers/${unreachableServerId}?open=edit`, 'cellar-1'],
  ['environments', () => '/environments', 'Environments'],
  ['environment', ({ environmentId }) => `/environments/${environmentId}`, 'staging'],
  ['environment-variables', ({ environmentId }) => `/environments/${environmentId}?tab=variables`, 'staging'],
  ['grants', ({ environmentId }) => `/environments/${environmentId}?tab=access`, 'staging'],
  ['protection', ({ environmentId }) => `/environments/${environmentId}?tab=protection`, 'staging'],
  ['run-windows', ({ environmentId }) => `/environments/${environmentId}?tab=windows`, 'staging'],
  ['keys', () => '/keys', 'SSH keys'],
  ['key', ({ keyId }) => `/keys/${keyId}`, 'cellar'],
  ['rotations', () => '/keys/rotations', 'Rotations'],
  ['rotation', ({ rotationId }) => `/keys/rotations/${rotationId}`, 'Rotation of cellar'],
  ['members', () => '/settings/members', 'Members'],
  ['schedules', () => '/schedules', 'Schedules'],
  ['schedule-calendar', () => '/schedules?view=calendar', 'Schedules'],
  ['new-schedule', () => '/schedules/new', 'New schedule'],
  ['service-accounts', () => '/settings/service-accounts', 'Service accounts'],
  ['new-service-account', () => '/settings/service-accounts?open=new', 'Service accounts'],
  ['trust-rules', () => '/settings/trust-rules', 'Trust rules'],
  ['new-trust-rule', () => '/settings/trust-rules?open=new', 'Trust rules'],
  ['retention', () => '/settings/retention', 'Retention'],
  ['sessions', () => '/settings/sessions', 'Sessions and password'],
  ['audit', () => '/audit', 'Audit trail'],
  ['tokens', () => '/settings/tokens', 'API tokens'],
  ['api-guide', () => '/api/docs', 'Runward API'],
  ['api-operation', () => '/api/docs#?route=post-/api/executions', 'Executions'],
];

const PAGES_WITH_POLLING = ['rotations', 'rotation', 'key', 'enrolments', 'servers', 'enrol'];
/** Rules to check in the dark theme, of which only the colours differ, and not to check again in the narrow view. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Variants of one page, shown one after the other. The page is loaded once and adapts when theme or width change. */
const PAGE_VARIANTS = [
  { look: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 }, reading: {} },
  { look: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 }, reading: { only: COLOUR_RULES } },
  { look: 'medium', colorScheme: 'light', viewport: { width: 1024, height: 768 }, reading: { without: COLOUR_RULES } },
  { look: 'narrow', colorScheme: 'light', viewport: { width: 390, height: 844 }, reading: { without: COLOUR_RULES } },
] as const;

test('every page is readable and accessible, light, dark and narrow', async ({ browser }) => {
  test.setTimeout(900_000);
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  const page = await context.newPage();
  const consoleErrors = collectConsoleErrors(page);
  await signIn(page, stage.runward);
  for (const [name, path, heading] of PAGES) {
    await test.step(name, async () => {
      await page.goto(stage.runward.url + path(seeded));
      await expect(page.getByRole('heading', { name: heading, level: 1, includeHidden: true }).first()).toBeAttached();
      await expect(page.getByLabel('Loading')).toHaveCount(0);
      // A running run's page never becomes idle, because its stream stays open.
      const stream = page.getByTestId('stream-state');
      if ((await stream.count()) > 0) await expect(stream).toHaveAttribute('data-state', 'live');
      // Nor does a page that polls.
      else if (!PAGES_WITH_POLLING.includes(name)) await page.waitForLoadState('networkidle');
      for (const { look, colorScheme, viewport, reading } of PAGE_VARIANTS) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
        await takeScreenshot(page, `${look}-${name}`);
        await expectAccessible(page, reading);
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow, `the page itself does not scroll sideways, ${look}`).toBeLessThanOrEqual(0);
      }
      await page.setViewportSize(PAGE_VARIANTS[0].viewport);
    });
  }
  expect(consoleErrors).toEqual([]);
  await context.close();
});
