import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf } from '../support/api.js';
import { type Stage, startStage } from '../support/stage.js';
import { choose, collectConsoleErrors, openPageAs, takeScreenshot, signIn } from '../support/page-helpers.js';

const OLGA = { email: 'olga@e2e.test', password: 'a password of Olga' };
const PETRA = { email: 'petra@e2e.test', password: 'a password of Petra' };
/** Bidi override, as an attacker may use it: the command is displayed in a different order than it runs. */
const HIDDEN = '\u202e';

let stage: Stage;
let planId: string;

test.beforeAll(async () => {
  stage = await startStage(['127.0.3.1', '127.0.3.2'], 'production');
  const { call: admin, environmentId } = stage;
  await admin('PUT', `/api/environments/${environmentId}/variables/DB_PASSWORD`, { value: 'the first', secret: true });
  planId = await stage.planOf(
    'Release',
    [
      { key: 'fetch', name: 'Fetch', command: 'echo fetch {{ RELEASE }}' },
      { key: 'switch', name: 'Switch over', command: 'echo switch to {{ RELEASE }}\necho done' },
    ],
    { variables: [{ name: 'RELEASE', type: 'string', default: '2.4.1' }] },
  );
  const { items } = await admin<{ items: { id: string; name: string }[] }>('GET', '/api/inventory/servers?q=web-1');
  const putOnServer = (key: string, body: object) =>
    admin('PUT', `/api/inventory/servers/${items[0]?.id}/variables/${key}`, body);
  await putOnServer('WEIGHT', { value: '10' });
  await putOnServer('LICENCE', { value: 'nobody sees this', secret: true });
  // One run that succeeded before the environment was protected, for comparison.
  const before = await stage.startRun(planId);
  await admin('GET', `/api/executions/${before}?wait=50&until=settled`);
  await putOnServer('WEIGHT', { value: '20' });
  await admin('PATCH', `/api/plans/${planId}`, {
    steps: [
      { key: 'fetch', name: 'Fetch', command: `echo fetch {{ RELEASE }} # ${HIDDEN}safe` },
      { key: 'switch', name: 'Switch over', command: 'echo switch to {{ RELEASE }}\necho finished' },
    ],
  });
  await admin('PATCH', `/api/environments/${environmentId}`, { protected: true });
  await admin('POST', '/api/members', { ...OLGA, name: 'Olga', role: 'operator' });
  const petra = await admin('POST', '/api/members', { ...PETRA, name: 'Petra', role: 'viewer' });
  await admin('PUT', `/api/environments/${environmentId}/grants/${petra.id}`, { level: 'approve' });
});
test.afterAll(() => stage?.end());

test('an operator starts in a protected environment, and an approver approves the run', async ({ browser }) => {
  const olga = await openPageAs(browser, stage.runward, OLGA);
  const petra = await openPageAs(browser, stage.runward, PETRA);
  const consoleErrors = [...collectConsoleErrors(olga)];

  await test.step('the operator reads what will happen, and types the name of the environment', async () => {
    await olga.goto(`${stage.runward.url}/plans/${planId}`);
    await olga.getByRole('link', { name: 'Run plan', exact: true }).click();
    const dialog = olga.getByRole('dialog');
    await expect(dialog).toContainText('waits for 1 approval');
    await dialog.getByLabel(/^Type production/).fill('production');
    await takeScreenshot(olga, 'approval-1-start');
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await expect(olga.getByTestId('run-status')).toContainText('Waiting for approval');
  });

  await test.step('she sees that she can’t approve it, and why', async () => {
    await expect(olga.getByTestId('pause-bar')).toContainText('needs the grant “approve” in production');
    await expect(olga.getByRole('button', { name: 'Approve', exact: true })).toHaveAttribute('aria-disabled', 'true');
    await takeScreenshot(olga, 'approval-2-operator');
  });

  await test.step('the approver finds it waiting on the overview', async () => {
    await petra.goto(stage.runward.url);
    await expect(petra.getByRole('link', { name: 'Overview', exact: true })).toHaveAccessibleDescription(
      '1 run is waiting for you',
    );
    const waiting = petra.getByRole('region', { name: 'Waiting for you' });
    await expect(waiting.getByRole('listitem').filter({ hasText: 'Release' })).toContainText('Waiting for approval');
    await takeScreenshot(petra, 'approval-3-dashboard');
    await waiting.getByRole('link', { name: 'Release → production' }).click();
  });

  await test.step('the evidence shows hosts, commands and changes, and reveals hidden characters', async () => {
    const evidence = petra.getByRole('region', { name: 'Content to approve' });
    await expect(evidence).toContainText(stage.fleet.hostKey.fingerprint);
    const authors = evidence.getByRole('region', { name: 'Authors' });
    await expect(authors).toContainText('Plans');
    await expect(authors).toContainText('revision');
    await expect(evidence).toContainText('127.0.3.2');
    await expect(evidence).toContainText("echo switch to '2.4.1'");
    await expect(evidence.getByRole('group', { name: 'Step switch, before and after' })).toContainText('echo done');
    await expect(evidence.getByTitle('right-to-left override').first()).toHaveText('U+202E');
    const values = evidence.getByRole('list', { name: 'Values of web-1' });
    await expect(values.getByRole('listitem')).toHaveText(['WEIGHT = 20 changed', 'LICENCE secret']);
    await takeScreenshot(petra, 'approval-4-evidence');
    await expectAccessible(petra);
  });

  await test.step('a secret that changes during the review requires a new review', async () => {
    await stage.call('PUT', `/api/environments/${stage.environmentId}/variables/DB_PASSWORD`, {
      value: 'the second',
      secret: true,
    });
    await petra.getByRole('button', { name: 'Approve', exact: true }).click();
    await petra.getByRole('dialog').getByRole('button', { name: 'Approve run' }).click();
    await expect(petra.getByText('its content was reloaded')).toBeVisible();
    await expect(petra.getByText(/Approval requested again/)).toBeVisible();
    await takeScreenshot(petra, 'approval-5-changed');
  });

  await test.step('she approves the current content, and it runs', async () => {
    await petra.getByRole('button', { name: 'Approve', exact: true }).click();
    await petra.getByRole('dialog').getByLabel('Comment').fill('looks good');
    await petra.getByRole('dialog').getByRole('button', { name: 'Approve run' }).click();
    await expect(petra.getByTestId('run-status')).toContainText('Succeeded');
    await expect(olga.getByTestId('run-status')).toContainText('Succeeded');
    await expect(olga.getByTestId('cell-web-2-switch')).toHaveAttribute('data-status', 'SUCCEEDED');
    await takeScreenshot(olga, 'approval-6-green');
  });
  expect(consoleErrors).toEqual([]);
});

test('a rejection ends the run with its reason', async ({ browser }) => {
  const olga = await apiOf(stage.runward, OLGA);
  const { id } = await olga('POST', '/api/executions', { planId, execution_mode: 'auto' });
  const petra = await openPageAs(browser, stage.runward, PETRA);
  await petra.goto(`${stage.runward.url}/executions/${id}`);
  await petra.getByRole('button', { name: 'Reject', exact: true }).click();
  const dialog = petra.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Reject run' }).click();
  await expect(dialog).toContainText('Explain what must change');
  await dialog.getByLabel(/^Reason/).fill('not before the backup');
  await takeScreenshot(petra, 'approval-7-reject');
  await dialog.getByRole('button', { name: 'Reject run' }).click();
  await expect(petra.getByTestId('run-status')).toContainText('Rejected');
  await expect(petra.getByText('not before the backup').first()).toBeVisible();
});

test('the requester of a run reads why another member must approve it', async ({ page }) => {
  const id = await stage.startRun(planId);
  await signIn(page, stage.runward);
  await page.goto(`${stage.runward.url}/executions/${id}`);
  await expect(page.getByTestId('pause-bar')).toContainText('another member must approve it');
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).toHaveAttribute('aria-disabled', 'true');

  await page.setViewportSize({ width: 390, height: 844 });
  for (const name of ['Approve', 'Reject']) {
    const button = await page.getByRole('button', { name, exact: true }).boundingBox();
    expect(button?.height).toBeGreaterThanOrEqual(44);
    expect(button?.y).toBeGreaterThan(750);
  }
  await takeScreenshot(page, 'approval-phone');
  await takeScreenshot(page, 'approval-8-self');
  await expect(page.getByTestId('pause-bar')).toContainText(/Who can: .*Petra/);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel run' }).click();
  await expect(page.getByTestId('run-status')).toContainText('Cancelled');
});

test('a protected environment accepts no host of another one, unless an admin confirms it', async ({
  browser,
  page,
}) => {
  const { call, runward } = stage;
  await call('POST', '/api/environments', { name: 'vault', protected: true });
  const olga = await openPageAs(browser, runward, OLGA);
  const fill = async (who: Page) => {
    await who.goto(`${runward.url}/servers`);
    await who.getByRole('link', { name: 'New server' }).click();
    const form = who.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('claimed');
    await form.getByRole('textbox', { name: 'Address' }).fill('127.0.3.1');
    await form.getByRole('textbox', { name: 'Port' }).fill(String(stage.fleet.port));
    await form.getByRole('textbox', { name: 'User name' }).fill('deploy');
    await choose(form, 'SSH key', 'deploy');
    await choose(form, 'Environment', 'vault');
    await form.getByRole('button', { name: 'Create server' }).click();
    await expect(form.getByRole('alert')).toContainText('Runward already signed in to the host of this address');
    await expect(form.getByRole('alert')).toContainText('“claimed” has the address of “web-1” in “production”.');
    return form;
  };

  await test.step('an operator is refused, reads whose host it is, and cannot confirm it', async () => {
    const form = await fill(olga);
    await expect(form.getByRole('button', { name: 'Confirm hosts and save' })).toHaveAttribute('aria-disabled', 'true');
    await takeScreenshot(olga, 'approval-9-claim');
  });

  await test.step('an admin confirms it: the server protects its host until its proofs are deleted', async () => {
    await signIn(page, runward);
    const form = await fill(page);
    await form.getByRole('button', { name: 'Confirm hosts and save' }).click();
    await expect(form).toBeHidden();
    const { items } = await call<{ items: { id: string }[] }>('GET', '/api/inventory/servers?name=claimed');
    await page.goto(`${runward.url}/servers/${items[0]?.id}?tab=host-key`);
    const protection = page.getByRole('region', { name: 'Protection' });
    await expect(protection).toContainText('Protects this host since');
    await takeScreenshot(page, 'approval-10-protection');
    await protection.getByRole('button', { name: 'Delete proofs' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete proofs' }).click();
    await expect(protection).toContainText('Not protected yet');
    await expectAccessible(page);
  });
});
