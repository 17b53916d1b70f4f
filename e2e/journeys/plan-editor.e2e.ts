import { expect, test } from '@playwright/test';
import { apiOf } from '../support/api.js';
import { type Runward, startRunward } from '../support/runward.js';
import { choose, complaintsOf, expectAccessible, picture, signIn } from '../support/story.js';

let runward: Runward;

test.beforeAll(async () => {
  runward = await startRunward();
});
test.afterAll(() => runward?.stop());

test('a plan with steps of every type is written, put right and found again', async ({ page }) => {
  const complaints = complaintsOf(page);
  const call = await apiOf(runward);
  await call('POST', '/api/environments', { name: 'staging' });
  await call('POST', '/api/scripts', { name: 'tidy up', content: 'echo tidy' });
  await call('POST', '/api/templates', { name: 'app.conf', content: 'a=1' });
  await signIn(page, runward);
  await page.goto(`${runward.url}/plans/new`);
  await page.getByLabel(/^Name/).first().fill('Roll out');
  await choose(page, /^Environment/, 'staging');

  const first = page.getByRole('region', { name: 'Step 1' });
  await test.step('a command with what it needs, group by group', async () => {
    await first.getByLabel(/^Key/).fill('deploy');
    await first.getByLabel(/^Command/).fill('deploy now');
    await first.getByRole('button', { name: /^When it fails/ }).click();
    await first.getByLabel('Retries per host').fill('3');
    await first.getByLabel('Pause before a retry').fill('10');
    await first.getByRole('button', { name: /^When it runs/ }).click();
    await first.getByRole('switch', { name: 'Ask a person first' }).check();
    await first.getByRole('button', { name: /^More/ }).click();
    await first.getByLabel('Run as').fill('root');
    await first.getByLabel('Environment').fill('LANG=C\nPATH=/bin');
    await picture(page, 'plan-1-command');
    await first.getByRole('button', { name: /^More/ }).click();
    await expect(first.getByRole('button', { name: /^More/ })).toContainText('as root, own variables');
  });

  await test.step('a wait and a gate', async () => {
    await page.getByRole('button', { name: 'Add step' }).click();
    const second = page.getByRole('region', { name: 'Step 2' });
    await second.getByLabel(/^Key/).fill('up');
    await choose(second, 'Type', 'Wait for a port or URL');
    await second.getByLabel(/^Port/).fill('8080');
    await page.getByRole('button', { name: 'Add step' }).click();
    const third = page.getByRole('region', { name: 'Step 3' });
    await third.getByLabel(/^Key/).fill('ask');
    await choose(third, 'Type', 'Gate: ask a person');
    await third.getByLabel(/^Message/).fill('Does it work?');
  });

  await test.step('a script of the library and a config file', async () => {
    await page.getByRole('button', { name: 'Add step' }).click();
    const fourth = page.getByRole('region', { name: 'Step 4' });
    await fourth.getByLabel(/^Key/).fill('tidy');
    await choose(fourth, 'Type', 'Script of the library');
    await choose(fourth, /^Script/, 'tidy up');
    await page.getByRole('button', { name: 'Add step' }).click();
    const fifth = page.getByRole('region', { name: 'Step 5' });
    await fifth.getByLabel(/^Key/).fill('configure');
    await choose(fifth, 'Type', 'Config file from a template');
    await choose(fifth, /^Template/, 'app.conf');
    await fifth.getByLabel(/^Path/).fill('/etc/app.conf');
  });

  await test.step('a fault stands at its field, also in a closed group', async () => {
    await page.getByRole('button', { name: 'Create plan' }).click();
    await expect(first.getByLabel('Environment')).toHaveAttribute('aria-invalid', 'true');
    await expect(first.getByLabel('Environment')).toBeVisible();
    await picture(page, 'plan-2-fault');
    await first.getByLabel('Environment').fill('LANG=C');
    await page.getByRole('combobox', { name: 'Locks' }).fill('shop');
    await page.getByRole('combobox', { name: 'Locks' }).press('Enter');
    await page.getByRole('button', { name: 'Create plan' }).click();
    await expect(page.getByText('Revision 1').first()).toBeVisible();
  });

  await test.step('all of it is there again, and a step is duplicated', async () => {
    await page.reload();
    await expect(first.getByRole('button', { name: /^When it fails/ })).toContainText('retries 3× after 10 s');
    await expect(first.getByRole('button', { name: /^When it runs/ })).toContainText('asks a person first');
    await expect(page.getByRole('region', { name: 'Step 2' }).getByLabel(/^Port/)).toHaveValue('8080');
    await expect(page.getByRole('region', { name: 'Step 3' }).getByLabel(/^Message/)).toHaveValue('Does it work?');
    await expect(page.getByRole('region', { name: 'Step 4' }).getByRole('combobox', { name: /^Script/ })).toHaveValue(
      'tidy up',
    );
    await expect(page.getByRole('region', { name: 'Step 5' }).getByLabel(/^Path/)).toHaveValue('/etc/app.conf');
    await page.getByRole('button', { name: 'Duplicate step 1' }).click();
    const copy = page.getByRole('region', { name: 'Step 2' });
    await expect(copy.getByRole('button', { name: /^When it fails/ })).toContainText('retries 3× after 10 s');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Saved as revision 2.')).toBeVisible();
    await picture(page, 'plan-3-saved');
    await expectAccessible(page);
  });
  // The refused save is an answer that the browser counts as a complaint.
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});
