import { type Browser, expect, type Page, test } from '@playwright/test';
import { apiOf } from '../support/api.js';
import {
  collectConsoleErrors,
  findCutTexts,
  findTextsWithoutTitle,
  openPageAs,
  signIn,
  takeScreenshot,
} from '../support/page-helpers.js';
import { type HostileRecords, seedHostile, seedManyEnvironments } from '../support/seed-hostile.js';
import { type BareStage, startBareStage } from '../support/stage.js';

let stage: BareStage;
let records: HostileRecords;

test.beforeAll(async () => {
  stage = await startBareStage(['127.0.2.1', '127.0.2.2']);
  records = await seedHostile(stage.runward, stage.fleet);
});
test.afterAll(() => stage?.end());

const PAGES: Record<string, (records: HostileRecords) => string> = {
  overview: () => '/',
  trends: () => '/trends',
  plans: () => '/plans',
  collection: ({ collectionId }) => `/plans?collection=${collectionId}`,
  plan: ({ planId }) => `/plans/${planId}`,
  'plan-editor': ({ planId }) => `/plans/${planId}?tab=edit`,
  'plan-runs': ({ planId }) => `/plans/${planId}?tab=runs`,
  start: ({ planId }) => `/plans?start=${planId}`,
  runs: () => '/executions',
  run: ({ runId }) => `/executions/${runId}`,
  compare: ({ runId }) => `/executions/${runId}/compare`,
  report: ({ runId }) => `/executions/${runId}/report`,
  schedules: () => '/schedules',
  calendar: () => '/schedules?view=calendar',
  schedule: ({ scheduleId }) => `/schedules/${scheduleId}`,
  scripts: () => '/scripts',
  script: ({ scriptId }) => `/scripts/${scriptId}`,
  templates: () => '/templates',
  template: ({ templateId }) => `/templates/${templateId}`,
  'git-sources': () => '/git-sources',
  'git-source': ({ gitSourceId }) => `/git-sources/${gitSourceId}`,
  servers: () => '/servers',
  server: ({ serverId }) => `/servers/${serverId}`,
  'server-runs': ({ serverId }) => `/servers/${serverId}?tab=runs`,
  environments: () => '/environments',
  environment: ({ environmentId }) => `/environments/${environmentId}`,
  'environment-variables': ({ environmentId }) => `/environments/${environmentId}?tab=variables`,
  grants: ({ environmentId }) => `/environments/${environmentId}?tab=access`,
  protection: ({ environmentId }) => `/environments/${environmentId}?tab=protection`,
  keys: () => '/keys',
  key: ({ keyId }) => `/keys/${keyId}`,
  members: () => '/settings/members',
  'service-accounts': () => '/settings/service-accounts',
  tokens: () => '/settings/tokens',
  webhooks: () => '/webhooks',
  webhook: ({ webhookId }) => `/webhooks/${webhookId}`,
  notifications: () => '/notifications',
  'notification-rule': ({ notificationRuleId }) => `/notifications/${notificationRuleId}`,
  audit: () => '/audit',
};

const VIEWPORTS = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

async function findFaults(page: Page): Promise<string[]> {
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  return [
    ...(overflow > 0 ? [`the page scrolls sideways by ${overflow} px`] : []),
    ...(await findCutTexts(page)).map((text) => `cut without an ellipsis: ${text}`),
    ...(await findTextsWithoutTitle(page)).map((text) => `ellipsis without a title: ${text}`),
  ];
}

/** Opens each page in each width. Returns the faults by page and width. */
async function sweep(page: Page, prefix: string): Promise<Record<string, string[]>> {
  const faults: Record<string, string[]> = {};
  for (const [name, path] of Object.entries(PAGES)) {
    await page.goto(stage.runward.url + path(records));
    await expect(page.getByRole('heading', { level: 1, includeHidden: true }).first()).toBeAttached();
    await expect(page.getByLabel('Loading')).toHaveCount(0);
    for (const [width, viewport] of Object.entries(VIEWPORTS)) {
      await page.setViewportSize(viewport);
      // The menu leaves the page with a transition.
      await page.evaluate(() => {
        const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
        return Promise.allSettled(transitions.map(({ finished }) => finished)).then(() => undefined);
      });
      await takeScreenshot(page, `${prefix}-${width}-${name}`);
      const found = await findFaults(page);
      if (found.length > 0) faults[`${name} ${width}`] = found;
    }
    await page.setViewportSize(VIEWPORTS.wide);
  }
  return faults;
}

const openPage = async (browser: Browser): Promise<Page> =>
  (await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' })).newPage();

test('every page shows the longest names and right-to-left names without overflow', async ({ browser }) => {
  test.setTimeout(600_000);
  const page = await openPage(browser);
  const consoleErrors = collectConsoleErrors(page);
  await signIn(page, stage.runward);
  expect(await sweep(page, 'hostile')).toEqual({});
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('a member without a grant reads on each list which grant is missing and who gives it', async ({ browser }) => {
  test.setTimeout(300_000);
  const page = await openPageAs(browser, stage.runward, records.newcomer);
  for (const path of ['/', '/executions', '/servers', '/environments', '/schedules']) {
    await page.goto(stage.runward.url + path);
    await expect(page.getByLabel('Loading')).toHaveCount(0);
    await takeScreenshot(page, `newcomer-${path.slice(1) || 'overview'}`);
    await expect(page.getByText(/You need a grant/).first()).toBeVisible();
  }
});

test('an environment beyond the first 200 can be chosen', async ({ browser }) => {
  test.setTimeout(300_000);
  const call = await apiOf(stage.runward);
  await seedManyEnvironments(call, 500);
  const page = await openPage(browser);
  await signIn(page, stage.runward);
  await page.goto(`${stage.runward.url}/executions`);
  const select = page.getByRole('main').getByRole('combobox', { name: 'Environment' });
  await select.click();
  await select.fill('many-0003');
  await page.getByRole('option', { name: 'many-0003' }).click();
  await expect(page).toHaveURL(/environment=/);
  await page.reload();
  await expect(page.getByRole('main').getByRole('combobox', { name: 'Environment' })).toHaveValue('many-0003');
  await page.context().close();
});

test('rows of servers follow the density that the member has chosen', async ({ browser }) => {
  const page = await openPage(browser);
  await signIn(page, stage.runward);
  await page.goto(`${stage.runward.url}/servers`);
  const row = page.getByRole('table', { name: 'Servers' }).getByRole('row').nth(1);
  const heightOf = async () => (await row.boundingBox())?.height ?? 0;
  await expect(row).toBeVisible();
  const comfortable = await heightOf();
  await page.getByRole('button', { name: /account of/ }).click();
  await page.getByRole('menuitemradio', { name: 'Compact' }).click();
  await expect.poll(heightOf).toBeLessThan(comfortable);
  await page.context().close();
});
