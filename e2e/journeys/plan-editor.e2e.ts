import { expect, type Locator, type Page, test } from '@playwright/test';
import { waitUntilAtRest, expectAccessible } from '../support/accessibility.js';
import { apiOf } from '../support/api.js';
import { type Runward, startRunward } from '../support/runward.js';
import { choose, collectConsoleErrors, takeScreenshot, signIn, openPlanEditor } from '../support/page-helpers.js';

let runward: Runward;

test.beforeAll(async () => {
  runward = await startRunward();
});
test.afterAll(() => runward?.stop());

const keysOf = (page: Page) =>
  page
    .getByRole('region', { name: /^Step \d+$/ })
    .getByLabel(/^Key/)
    .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value));

async function openPlan(page: Page, name: string, plan: object): Promise<void> {
  const call = await apiOf(runward);
  const { id } = await call<{ id: string }>('POST', '/api/plans', { name, ...plan });
  await signIn(page, runward);
  await page.goto(`${runward.url}/plans/${id}?tab=edit`);
}
/** Drags a handle to the lower end of a card, in small steps like a hand. */
async function dragOnto(page: Page, handle: Locator, card: Locator, before: () => Promise<void>): Promise<void> {
  await handle.hover();
  await page.mouse.down();
  await expect(async () => {
    const { x, y, height } = (await card.boundingBox()) ?? { x: 0, y: 0, height: 0 };
    await page.mouse.move(x + 60, y + height - 30, { steps: 3 });
    await page.mouse.move(x + 60, y + height - 12, { steps: 3 });
    await expect(card).toHaveAttribute('data-edge', 'behind', { timeout: 300 });
  }).toPass({ timeout: 10_000 });
  await before();
  await page.mouse.up();
}
const commands = (...keys: string[]) => keys.map((key) => ({ key, type: 'command', command: `echo ${key}` }));

test('a plan with steps of every type is written, corrected and loaded again', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  const call = await apiOf(runward);
  await call('POST', '/api/environments', { name: 'staging' });
  await call('POST', '/api/scripts', { name: 'tidy up', content: 'echo tidy' });
  await call('POST', '/api/templates', { name: 'app.conf', content: 'a=1' });
  await signIn(page, runward);
  await page.goto(`${runward.url}/plans/new`);
  await page.getByLabel(/^Name/).first().fill('Roll out');
  await choose(page, /^Environment/, 'staging');

  const first = page.getByRole('region', { name: 'Step 1' });
  await test.step('a command with its settings, group by group', async () => {
    await first.getByLabel(/^Key/).fill('deploy');
    await first.getByLabel(/^Command/).fill('deploy now');
    await first.getByRole('button', { name: /^Failure handling/ }).click();
    await first.getByLabel('Retries per host').fill('3');
    await first.getByLabel('Delay before a retry').fill('10');
    await first.getByRole('button', { name: /^Conditions/ }).click();
    // Fields move while the group opens.
    await waitUntilAtRest(page);
    await first.getByRole('switch', { name: 'Needs confirmation' }).check();
    await first.getByRole('button', { name: /^More/ }).click();
    await first.getByLabel('Run as').fill('root');
    await first.getByRole('textbox', { name: 'Environment' }).fill('LANG=C\nPATH=/bin');
    await takeScreenshot(page, 'plan-1-command');
    await first.getByRole('button', { name: /^More/ }).click();
    await expect(first.getByRole('button', { name: /^More/ })).toContainText('as root, sets environment variables');
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
    await choose(third, 'Type', 'Gate: wait for a decision');
    await third.getByLabel(/^Message/).fill('Does it work?');
  });

  await test.step('a script of the library and a config file', async () => {
    await page.getByRole('button', { name: 'Add step' }).click();
    const fourth = page.getByRole('region', { name: 'Step 4' });
    await fourth.getByLabel(/^Key/).fill('tidy');
    await choose(fourth, 'Type', 'Script from the library');
    await choose(fourth, /^Script/, 'tidy up');
    await page.getByRole('button', { name: 'Add step' }).click();
    const fifth = page.getByRole('region', { name: 'Step 5' });
    await fifth.getByLabel(/^Key/).fill('configure');
    await choose(fifth, 'Type', 'Config file from a template');
    await choose(fifth, /^Template/, 'app.conf');
    await fifth.getByLabel(/^Path/).fill('/etc/app.conf');
  });

  await test.step('an error is shown at its field, also in a closed group', async () => {
    await page.getByRole('button', { name: 'Create plan' }).click();
    await expect(first.getByRole('textbox', { name: 'Environment' })).toHaveAttribute('aria-invalid', 'true');
    await expect(first.getByRole('textbox', { name: 'Environment' })).toBeVisible();
    await takeScreenshot(page, 'plan-2-fault');
    await first.getByRole('textbox', { name: 'Environment' }).fill('LANG=C');
    await page.getByRole('combobox', { name: 'Locks' }).fill('shop');
    await page.getByRole('combobox', { name: 'Locks' }).press('Enter');
    await page.getByRole('button', { name: 'Create plan' }).click();
    await expect(page.getByText('Revision 1').first()).toBeVisible();
  });

  await test.step('everything is loaded again, and a step is duplicated', async () => {
    await openPlanEditor(page);
    await page.reload();
    await expect(first.getByRole('button', { name: /^Failure handling/ })).toContainText('retries 3× after 10 s');
    await expect(first.getByRole('button', { name: /^Conditions/ })).toContainText('needs confirmation');
    await expect(page.getByRole('region', { name: 'Step 2' }).getByLabel(/^Port/)).toHaveValue('8080');
    await expect(page.getByRole('region', { name: 'Step 3' }).getByLabel(/^Message/)).toHaveValue('Does it work?');
    await expect(page.getByRole('region', { name: 'Step 4' }).getByRole('combobox', { name: /^Script/ })).toHaveValue(
      'tidy up',
    );
    await expect(page.getByRole('region', { name: 'Step 5' }).getByLabel(/^Path/)).toHaveValue('/etc/app.conf');
    await page.getByRole('button', { name: 'Duplicate step 1' }).click();
    const copy = page.getByRole('region', { name: 'Step 2' });
    await expect(copy.getByRole('button', { name: /^Failure handling/ })).toContainText('retries 3× after 10 s');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Saved as revision 2.')).toBeVisible();
    await takeScreenshot(page, 'plan-3-saved');
    await expectAccessible(page);
  });
  expect(consoleErrors.filter((text) => !text.includes('400'))).toEqual([]);
});

test('a plan opens as an outline, is edited in a mode of its own, and its start shows a preview', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  const call = await apiOf(runward);
  const { id: environmentId } = await call<{ id: string }>('POST', '/api/environments', { name: 'live' });
  const { id: called } = await call<{ id: string }>('POST', '/api/plans', { name: 'Check', steps: commands('probe') });
  await openPlan(page, 'Read me', {
    environmentId,
    variables: [{ name: 'RELEASE', type: 'string', default: '2.1', description: 'What goes out' }],
    steps: [
      { key: 'build', type: 'command', command: 'make\nmake install', become: 'root', retries: { count: 2 } },
      { key: 'ask', type: 'gate', message: 'Does it work?' },
      { key: 'check', type: 'plan', planId: called },
    ],
  });
  await page.goto(page.url().replace('?tab=edit', ''));
  const steps = page.getByRole('list', { name: 'Steps of the plan' });

  await test.step('read: steps with their texts and settings, variables, people', async () => {
    await expect(steps).toContainText('as root');
    await steps.getByText('2 lines').click();
    await expect(steps.getByRole('region', { name: 'Text of build' })).toContainText('make install');
    await steps.getByText('Show the steps of the called plan').click();
    await expect(page.getByRole('list', { name: 'Steps of Check' })).toContainText('echo probe');
    await expect(page.getByRole('region', { name: 'Variables' })).toContainText('Default 2.1');
    await expect(page.getByRole('region', { name: 'People' })).toContainText('operators and admins');
    await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0);
    await takeScreenshot(page, 'plan-outline');
    await expectAccessible(page);
  });

  await test.step('edit and save, and return to the outline with Back', async () => {
    await openPlanEditor(page);
    await expect(page).toHaveURL(/tab=edit/);
    await page
      .getByRole('region', { name: 'Step 1' })
      .getByLabel(/^Command/)
      .fill('make all');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Revision 2 saved')).toBeVisible();
    await page.goBack();
    await expect(steps).toContainText('make all');
  });

  await test.step('the start shows what would happen, and copies itself without a secret', async () => {
    await page.getByRole('link', { name: 'Run plan', exact: true }).click();
    const dialog = page.getByRole('dialog');
    const preview = dialog.getByRole('region', { name: 'Preview' });
    await expect(preview).toContainText('No matching hosts');
    await expect(preview).toContainText('ask waits for a decision');
    await expect(preview).toContainText('No success of this plan here yet.');
    await expect(dialog.getByRole('button', { name: 'Start run' })).toBeInViewport();
    await dialog.getByRole('button', { name: 'Copy as' }).click();
    await expect(page.getByRole('menuitem', { name: 'GitHub Action' })).toBeVisible();
    await page.keyboard.press('Escape');
    await takeScreenshot(page, 'start-preview');
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(dialog.getByRole('button', { name: 'Start run' })).toBeInViewport();
    await expectAccessible(page);
  });
  expect(consoleErrors).toEqual([]);
});

test('steps are reordered by drag, keys and buttons, and every change can be undone', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await page.setViewportSize({ width: 1440, height: 2200 });
  await openPlan(page, 'Order', { steps: commands('build', 'deploy', 'tidy') });
  const step = (number: number) => page.getByRole('region', { name: `Step ${number}`, exact: true });
  const handle = (number: number) => page.getByRole('button', { name: `Reorder step ${number}` });

  await test.step('by drag, with its open contents', async () => {
    await step(1)
      .getByRole('button', { name: /^Conditions/ })
      .click();
    await dragOnto(page, handle(1), step(3), () => takeScreenshot(page, 'editor-dragged'));
    await expect.poll(() => keysOf(page)).toEqual(['deploy', 'tidy', 'build']);
    await expect(step(3).getByRole('button', { name: /^Conditions/ })).toHaveAttribute('aria-expanded', 'true');
    await expect(handle(3)).toBeFocused();
  });

  await test.step('by keys: picked up, moved and put back, or put down', async () => {
    await page.keyboard.press('Space');
    await expect(handle(3)).toHaveAttribute('aria-pressed', 'true');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => keysOf(page)).toEqual(['build', 'deploy', 'tidy']);
    await expect(page.getByText('Step “build” is at position 1 of 3.', { exact: true })).toBeAttached();
    await takeScreenshot(page, 'editor-picked-up');
    await page.keyboard.press('Escape');
    await expect.poll(() => keysOf(page)).toEqual(['deploy', 'tidy', 'build']);
    await expect(handle(3)).toBeFocused();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Dropped. Step “build” is at position 1 of 3.')).toBeAttached();
    await expect(handle(1)).toHaveAttribute('aria-pressed', 'false');
  });

  await test.step('by Alt with the arrow keys within a card, whose field keeps the focus', async () => {
    await step(2).getByLabel(/^Name/).focus();
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => keysOf(page)).toEqual(['build', 'tidy', 'deploy']);
    await expect(step(3).getByLabel(/^Name/)).toBeFocused();
  });

  await test.step('each change is undone separately, and a cancelled move is no change', async () => {
    await page.keyboard.press('Control+z');
    await expect.poll(() => keysOf(page)).toEqual(['build', 'deploy', 'tidy']);
    await page.keyboard.press('Control+z');
    await expect.poll(() => keysOf(page)).toEqual(['deploy', 'tidy', 'build']);
    await page.keyboard.press('Control+z');
    await expect.poll(() => keysOf(page)).toEqual(['build', 'deploy', 'tidy']);
    await expect(page.getByText('Revision 1 saved')).toBeVisible();
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(() => keysOf(page)).toEqual(['deploy', 'tidy', 'build']);
    await page.keyboard.press('Control+z');
  });

  await test.step('typing in a field is one entry, and in the next field another one', async () => {
    await step(1)
      .getByLabel(/^Command/)
      .press('End');
    await page.keyboard.type(' all of it');
    await step(2).getByLabel(/^Name/).focus();
    await page.keyboard.press('End');
    await page.keyboard.type(' it');
    await page.keyboard.press('Control+z');
    await expect(step(2).getByLabel(/^Name/)).toHaveValue('deploy');
    await expect(step(1).getByLabel(/^Command/)).toHaveValue('echo build all of it');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(step(1).getByLabel(/^Command/)).toHaveValue('echo build');
    await page.getByRole('button', { name: 'Redo' }).click();
    await page.keyboard.press('Control+y');
    await expect(step(2).getByLabel(/^Name/)).toHaveValue('deploy it');
  });

  await test.step('a removed step is restored, after other changes too', async () => {
    await page.getByRole('button', { name: 'Remove step 1' }).click();
    await expect(handle(1)).toBeFocused();
    await step(1).getByLabel(/^Key/).fill('roll-out');
    await page.getByText('Step “build” removed').locator('..').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => keysOf(page)).toEqual(['build', 'roll-out', 'tidy']);
    await expect(handle(1)).toBeFocused();
  });

  await test.step('the history survives the change to YAML and back', async () => {
    await page.getByText('YAML', { exact: true }).click();
    await expect(page.getByText('Valid.')).toBeVisible();
    await page.getByText('Form', { exact: true }).click();
    await expect(page.getByRole('button', { name: 'Undo' })).toBeEnabled();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => keysOf(page)).toEqual(['roll-out', 'tidy']);
    await page.getByRole('button', { name: 'Redo' }).click();
  });

  await test.step('an error stays with its step', async () => {
    await step(2)
      .getByLabel(/^Command/)
      .fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(step(2).getByLabel(/^Command/)).toHaveAttribute('aria-invalid', 'true');
    await page.getByRole('button', { name: 'Move step 2 down' }).click();
    await expect(step(3).getByLabel(/^Command/)).toHaveAttribute('aria-invalid', 'true');
    await expect(step(2).getByLabel(/^Command/)).not.toHaveAttribute('aria-invalid', 'true');
    await expect(handle(3)).toBeFocused();
    await expectAccessible(page);
  });
  expect(consoleErrors.filter((text) => !text.includes('400'))).toEqual([]);
});

test('names are completed while typing, and unknown ones are reported immediately', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await openPlan(page, 'Names', {
    variables: [{ name: 'RELEASE', type: 'string', description: 'What goes out' }],
    steps: [{ key: 'build', type: 'command', command: 'make', outputs: ['version'] }, ...commands('deploy')],
  });
  const step = (number: number) => page.getByRole('region', { name: `Step ${number}`, exact: true });
  const command = step(2).getByLabel(/^Command/);
  const nameList = page.getByRole('listbox', { name: 'Names' });

  await test.step('with the arrow keys and Enter', async () => {
    await command.fill('deploy ');
    await command.press('End');
    await page.keyboard.type('{{');
    await expect(nameList.getByRole('option').first()).toContainText('RELEASE');
    await page.keyboard.press('ArrowDown');
    const second = nameList.getByRole('option').nth(1);
    await expect(second).toHaveAttribute('aria-selected', 'true');
    await expect(command).toHaveAttribute('aria-activedescendant', (await second.getAttribute('id')) ?? '');
    await takeScreenshot(page, 'editor-offers');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await expect(command).toHaveValue('deploy {{ steps.build.outputs.version }}');
    await expect(nameList).toBeHidden();
  });

  await test.step('with Tab, with the mouse, or not at all', async () => {
    await page.keyboard.type(' {{ rel');
    await page.keyboard.press('Tab');
    await expect(command).toHaveValue('deploy {{ steps.build.outputs.version }} {{ RELEASE }}');
    await page.keyboard.type(' {{ host.n');
    await nameList.getByRole('option', { name: 'host.name' }).click();
    await expect(command).toHaveValue(/ \{\{ host\.name \}\}$/);
    await expect(command).toBeFocused();
    await page.keyboard.type(' {{');
    await page.keyboard.press('Escape');
    await expect(nameList).toBeHidden();
    await page.keyboard.type(' RELAESE }}');
    await expect(step(2).getByText('The plan has no variable “RELAESE”. Did you mean “RELEASE”?')).toBeVisible();
  });

  await test.step('only of steps that run before: a step that is moved up reports what it lacks', async () => {
    await page.getByRole('button', { name: 'Move step 2 up' }).click();
    await expect(step(1).getByText('The step “build” does not run before this one.')).toBeVisible();
    await takeScreenshot(page, 'editor-faults');
    await page.getByRole('button', { name: 'Move step 1 down' }).click();
    await expect(step(2).getByText('The step “build” does not run before this one.')).toBeHidden();
  });

  await test.step('the hint about a name moves nothing away from under a click', async () => {
    const hint = step(2).getByText('The plan has no variable “nobody”.');
    const where = step(2).getByRole('button', { name: /^Hosts/ });
    const text = await command.inputValue();
    await where.hover();
    await page.mouse.down();
    await command.fill(`${text} {{ nobody }}`);
    // Waits with a timer of the page: the timer that shows the hint would fire first.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 500)));
    await expect(hint).toBeHidden();
    await page.mouse.up();
    await expect(where).toHaveAttribute('aria-expanded', 'true');
    await expect(hint).toBeVisible();
    await where.click();
    await command.fill(text);
    await expect(hint).toBeHidden();
  });

  await test.step('a condition accepts bare names', async () => {
    await step(2)
      .getByRole('button', { name: /^Conditions/ })
      .click();
    const condition = step(2).getByRole('combobox', { name: 'Condition' });
    await condition.press('Control+Space');
    await expect(condition).toHaveAttribute('aria-expanded', 'true');
    await page.keyboard.type('ch');
    await page.keyboard.press('Enter');
    await expect(condition).toHaveValue('steps.build.changed');
  });

  await test.step('a variable that no step uses is marked', async () => {
    const variable = page.getByRole('region', { name: 'Variable 1' });
    await expect(variable.getByText('Not used')).toBeHidden();
    await command.fill('deploy');
    await expect(variable.getByText('Not used')).toBeVisible();
    await variable.scrollIntoViewIfNeeded();
    await takeScreenshot(page, 'editor-not-used');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    await command.press('End');
    await page.keyboard.type(' {{ RELAESE }} {{');
    await expect(nameList).toBeVisible();
    await takeScreenshot(page, 'editor-narrow-dark');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1440, height: 900 });
    await takeScreenshot(page, 'editor-wide-dark');
    await command.fill('deploy');
  });

  await test.step('in YAML too', async () => {
    await page.getByText('YAML', { exact: true }).click();
    const text = page.getByRole('textbox', { name: 'Plan as YAML' });
    await page.getByText('command: deploy').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' {{ rel');
    const offer = page.getByRole('option', { name: /RELEASE/ });
    await expect(offer).toBeVisible();
    await takeScreenshot(page, 'editor-yaml-offers');
    // By mouse, because Enter inserts a new line until the completions have been open for a moment.
    await offer.click();
    await expect(text).toContainText('command: deploy {{ RELEASE }}');
  });
  expect(consoleErrors).toEqual([]);
});
