import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf, type Call, type RecordWithId } from '../support/api.js';
import { createSshKey, registerServers } from '../support/fleet-in-runward.js';
import { type BareStage, startBareStage } from '../support/stage.js';
import {
  collectConsoleErrors,
  menuItem,
  openFromMenu,
  openPageAs,
  takeScreenshot,
  signIn,
} from '../support/page-helpers.js';

const OLGA = { email: 'olga@e2e.test', password: 'a password of Olga' };
const PETRA = { email: 'petra@e2e.test', password: 'a password of Petra' };
const OTTO = { email: 'otto@e2e.test', password: 'a password of Otto' };

let stage: BareStage;
let production: string;
let yard: string;

test.beforeAll(async () => {
  stage = await startBareStage(['127.0.7.1', '127.0.7.2', '127.0.7.3', '127.0.7.4']);
  const { runward, fleet } = stage;
  const admin = await apiOf(runward);
  const sshKeyId = await createSshKey(admin, fleet);
  const createEnvironment = async (name: string, hostname: string, settings: object = {}): Promise<string> => {
    const { id } = await admin('POST', '/api/environments', { name });
    await registerServers(admin, fleet, { sshKeyId, environmentId: id, addresses: [hostname], name });
    await admin('PATCH', `/api/environments/${id}`, settings);
    return id;
  };
  production = await createEnvironment('production', '127.0.7.1', { protected: true });
  const staging = await createEnvironment('staging', '127.0.7.2');
  yard = await createEnvironment('yard', '127.0.7.4');
  const vault = await createEnvironment('vault', '127.0.7.3', { access: 'restricted' });
  await admin('POST', '/api/members', { ...OLGA, name: 'Olga', role: 'operator' });
  const petra = await admin('POST', '/api/members', { ...PETRA, name: 'Petra', role: 'viewer' });
  const otto = await admin('POST', '/api/members', { ...OTTO, name: 'Otto', role: 'operator' });
  await admin('PUT', `/api/environments/${production}/grants/${petra.id}`, { level: 'approve' });
  await admin('PUT', `/api/environments/${vault}/grants/${otto.id}`, { level: 'view' });

  const start = async (by: Call, name: string, environmentId: string, mode: string): Promise<void> => {
    const steps = [{ key: 'one', name: 'One', command: 'echo one' }];
    const plan = await admin('POST', '/api/plans', { name, environmentId, steps });
    const run = await by<RecordWithId>('POST', '/api/executions', { planId: plan.id, execution_mode: mode });
    await by('GET', `/api/executions/${run.id}?wait=50&until=settled`);
  };
  const olga = await apiOf(runward, OLGA);
  await start(olga, 'Release', production, 'auto');
  await start(olga, 'Tidy up', staging, 'interactive');
  await start(admin, 'Open the vault', vault, 'interactive');
});
test.afterAll(() => stage?.end());

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Runs', exact: true }).getByRole('row', { name });

test('each person sees exactly the runs that wait for them', async ({ browser }) => {
  const petra = await openPageAs(browser, stage.runward, PETRA);
  const olga = await openPageAs(browser, stage.runward, OLGA);
  const consoleErrors = [collectConsoleErrors(petra), collectConsoleErrors(olga)];

  await test.step('the approver: the approval, but not the confirmation that needs an operator', async () => {
    const waiting = petra.getByRole('region', { name: 'Waiting for you' });
    await expect(waiting.getByRole('link')).toHaveText(['Release → production']);
    await expect(petra.getByRole('region', { name: 'Active runs' }).getByRole('link')).toHaveText([
      'Tidy up → staging',
    ]);
    await openFromMenu(petra, 'Runs');
    await expect(row(petra, 'Release')).toContainText('Waiting for you');
    await expect(row(petra, 'Tidy up')).toBeVisible();
    await expect(row(petra, 'Tidy up')).not.toContainText('Waiting for you');
    await takeScreenshot(petra, 'waiting-1-runs');
    await expectAccessible(petra);
  });

  await test.step('the operator: the confirmation, but not the approval of her own run', async () => {
    await openFromMenu(olga, 'Runs');
    await expect(row(olga, 'Tidy up')).toContainText('Waiting for you');
    await expect(row(olga, 'Release')).not.toContainText('Waiting for you');
    await olga.locator('label').getByText('Waiting for you', { exact: true }).click();
    await expect(olga).toHaveURL(/awaiting=me/);
    await expect(olga.getByRole('table', { name: 'Runs', exact: true }).getByRole('link')).toHaveText(['Tidy up']);
    await takeScreenshot(olga, 'waiting-2-filter');
    await expectAccessible(olga);
  });

  await test.step('an answered run no longer waits, on every page and without a reload', async () => {
    await expect(menuItem(petra, 'Overview')).toHaveAccessibleDescription('1 run is waiting for you');
    const release = row(petra, 'Release').getByRole('link', { name: 'Release' });
    const path = await release.getAttribute('href');
    await petra.setViewportSize(PHONE);
    await petra.goto(stage.runward.url);
    await petra.getByRole('region', { name: 'Waiting for you' }).getByRole('button', { name: 'Review' }).click();
    const review = petra.getByRole('dialog', { name: 'Release in production' });
    await expect(review.getByText('Content to approve')).toBeVisible();
    await takeScreenshot(petra, 'waiting-3-phone');
    await expectAccessible(petra);
    await review.getByRole('button', { name: 'Approve', exact: true }).click();
    await petra.getByRole('dialog').getByRole('button', { name: 'Approve run' }).click();
    await expect(review).toBeHidden();
    await petra.setViewportSize(DESKTOP);
    await petra.goto(stage.runward.url + path);
    await expect(petra.getByTestId('run-status')).toContainText('Succeeded');
    await expect(menuItem(petra, 'Overview')).toHaveAccessibleDescription('');
  });
  expect(consoleErrors.flat()).toEqual([]);
  await Promise.all([petra.context().close(), olga.context().close()]);
});

test('an approver sees a waiting protection change first and agrees to it', async ({ browser }) => {
  const { runward } = stage;
  const admin = await apiOf(runward);
  // A second person may approve only a week after the admin granted the right.
  const { tenant } = await admin<{ tenant: RecordWithId }>('GET', '/api/auth/me');
  await runward.query?.(`select set_config('app.tenant', $1, false)`, [tenant.id]);
  await runward.query?.(`update given_rights set given_at = now() - interval '8 days'`);
  await admin('POST', `/api/environments/${production}/protection-changes`, {
    reason: 'The release night needs one person',
    settings: { allowSelfApproval: true },
  });

  const petra = await openPageAs(browser, runward, PETRA);
  const consoleErrors = collectConsoleErrors(petra);
  await expect(menuItem(petra, 'Overview')).toHaveAccessibleDescription(/1 protection change .*waiting for you/);
  const waiting = petra.getByRole('region', { name: 'Waiting for you' });
  await expect(waiting).toContainText('Requesters can approve their own runs');
  await expect(waiting).toContainText('The release night needs one person');
  await takeScreenshot(petra, 'waiting-4-protection-change');
  await expectAccessible(petra);
  await waiting.getByRole('link', { name: 'Protection change in production' }).click();
  await petra.getByRole('button', { name: 'Agree to change' }).click();
  await expect(petra.getByText('Protection change waiting')).toHaveCount(0);
  await expect(menuItem(petra, 'Overview')).not.toHaveAccessibleDescription(/protection change/);
  expect(consoleErrors).toEqual([]);
  await petra.context().close();
});

test('the admin who requested a protection change withdraws it', async ({ page }) => {
  const { runward } = stage;
  const admin = await apiOf(runward);
  const { id } = await admin('POST', '/api/environments', { name: 'archive', protected: true });
  const settings = { protected: false };
  await admin('POST', `/api/environments/${id}/protection-changes`, { reason: 'No longer used', settings });
  await signIn(page, runward);
  await page.goto(`${runward.url}/environments/${id}?tab=protection`);
  await expect(page.getByRole('button', { name: 'Apply change' })).toHaveAttribute('aria-disabled', 'true');
  await page.getByRole('button', { name: 'Withdraw request' }).click();
  await expect(page.getByText(/^Withdrawn: Runs no longer need approval/)).toBeVisible();
  await expect(page.getByText('Protection change waiting')).toHaveCount(0);
});

test('a member who can only view a waiting run reads what is missing', async ({ browser }) => {
  const otto = await openPageAs(browser, stage.runward, OTTO);
  await openFromMenu(otto, 'Runs');
  await expect(row(otto, 'Open the vault')).not.toContainText('Waiting for you');
  await otto.getByRole('link', { name: 'Open the vault' }).click();
  const bar = otto.getByTestId('pause-bar');
  await expect(bar).toContainText('Waiting for confirmation before “One”');
  await expect(bar).toContainText('Needs the grant “run” in vault; ask an admin.');
  for (const button of ['Run step', 'Skip step', 'Abort run'])
    await expect(bar.getByRole('button', { name: button })).toHaveAttribute('aria-disabled', 'true');
  await expect(otto.getByRole('button', { name: 'Cancel', exact: true })).toHaveAttribute('aria-disabled', 'true');
  await takeScreenshot(otto, 'waiting-3-no-grant');
  await expectAccessible(otto);
  await otto.context().close();
});

test('of several open tabs, one shows the browser notification of a run', async ({ browser }) => {
  const context = await browser.newContext({ locale: 'en-GB' });
  const shown: string[] = [];
  await context.exposeFunction('noteNotification', (title: string, body: string) => shown.push(`${title}: ${body}`));
  // The browser of the tests refuses notifications without a question.
  await context.addInitScript(() => {
    class GrantedNotification {
      static readonly permission = 'granted';
      constructor(title: string, { body }: NotificationOptions) {
        const { noteNotification } = globalThis as unknown as { noteNotification: (...texts: string[]) => void };
        noteNotification(title, body ?? '');
      }
    }
    Object.defineProperty(globalThis, 'Notification', { value: GrantedNotification });
  });
  const first = await context.newPage();
  await signIn(first, stage.runward);
  await first.goto(`${stage.runward.url}/settings/sessions`);
  await first.getByRole('switch', { name: 'My run ended' }).click();
  const second = await context.newPage();
  const openTab = (page: Page) => Promise.all([readsRuns(page, ''), page.goto(`${stage.runward.url}/plans`)]);
  await openTab(first);
  await openTab(second);

  const admin = await apiOf(stage.runward);
  const steps = [{ key: 'one', name: 'One', command: 'echo one' }];
  const plan = await admin('POST', '/api/plans', { name: 'Notify once', environmentId: yard, steps });
  const run = async (): Promise<string> => {
    const { id } = await admin('POST', '/api/executions', { planId: plan.id, execution_mode: 'auto' });
    await admin('GET', `/api/executions/${id}?wait=50&until=settled`);
    return id;
  };
  const runId = await run();
  await Promise.all([readsRuns(first, runId), readsRuns(second, runId)]);
  await expect.poll(() => shown).toEqual(['Succeeded: Notify once → yard']);

  await first.close();
  const nextId = await run();
  await readsRuns(second, nextId);
  await expect.poll(() => shown).toHaveLength(2);
  await context.close();
});

/** Waits until a tab has read the runs of the member, with this one among them. */
const readsRuns = (page: Page, runId: string) =>
  page.waitForResponse(
    async (response) => response.url().includes('startedBy') && (await response.text()).includes(runId),
    { timeout: 60_000 },
  );
