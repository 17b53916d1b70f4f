import { screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import type { Execution, ExecutionHost, HostStatus, Pause, Role } from '../../../api/types';
import { BLANK_CELL } from '../run/run-cells.reducer';
import { DecisionPanel } from './DecisionPanel';

const { answer, refuse, sent } = fakeServer();
const DECISIONS = '/api/executions/x1/decisions';
const SINCE = '2026-11-20T08:00:00Z';
const STEPS = [
  { key: 'stop', name: 'Stop', type: 'command' },
  { key: 'ask', name: 'Ask', type: 'gate' },
  { key: 'start', name: 'Start', type: 'command' },
].map((step) => ({ ...step, path: [], counts: {} }));
const NO_RESULTS = { unknownHosts: [], summary: { firstFailure: {} } };
const CONTENT = {
  ...{ key: 'stop', name: 'Stop', type: 'command', text: 'systemctl stop shop', rendered: true, path: [] },
  ...{ outerConditions: [], targets: '', hostCount: 2, become: null, when: null, leftOut: false },
};

interface Scene {
  role?: Role;
  awaitsYou?: boolean;
  pause?: Partial<Pause>;
  /** Results of the step on the hosts web-1, web-2, …. */
  results?: HostStatus[];
  hostStatus?: HostStatus;
}

function show({ role = 'operator', awaitsYou = true, pause, results = [], hostStatus = 'RUNNING' }: Scene = {}) {
  answer('get', '/api/auth/me', { id: 'm1', name: 'Ana', role, email: 'ana@example.test' });
  answer('get', '/api/environments', { items: [], nextCursor: null });
  answer('get', '/api/executions/x1/permissions', {
    control: { rule: 'operators and admins', names: ['Bo', 'Petra'], more: 3 },
  });
  answer('get', '/api/executions/x1/review', { steps: [CONTENT], hosts: [] });
  const whole: Pause = {
    ...{ reason: 'STEP_CONFIRM', stepKey: 'stop', since: SINCE, expiresAt: SINCE, text: null },
    choices: ['abort', 'skip', 'proceed'],
    ...pause,
  };
  const run = {
    id: 'x1',
    environmentName: 'live',
    awaitsYou,
    pause: whole,
    steps: STEPS,
    ...NO_RESULTS,
  } as unknown as Execution;
  answer('post', DECISIONS, run);
  const hosts = (results.length > 0 ? results : [hostStatus]).map((_, index) => ({
    serverId: `s${index + 1}`,
    name: `web-${index + 1}`,
    status: hostStatus,
  })) as ExecutionHost[];
  const cells = new Map(
    results.map((status, index) => [`s${index + 1}`, new Map([[whole.stepKey ?? '', { ...BLANK_CELL, status }]])]),
  );
  return renderComponent(<DecisionPanel run={run} pause={whole} hosts={hosts} cells={cells} />);
}

const FAILURE: Partial<Pause> = {
  reason: 'FAILURE_DECISION',
  choices: ['retry', 'retry_failed', 'skip', 'exclude_hosts', 'abort'],
};
const button = (name: string) => screen.findByRole('button', { name });
const isOffered = async (name: string) => (await button(name)).getAttribute('aria-disabled') !== 'true';
const decisions = () => sent.map(({ body }) => body);

describe('a decision of a paused run', () => {
  it('offers the likely choice first', async () => {
    show();
    const names = (await screen.findAllByRole('button')).map(({ textContent }) => textContent);
    expect(names.slice(0, 3)).toEqual(['Run step', 'Skip step', 'Abort run']);
  });

  it('runs a confirmed step without another question', async () => {
    const { user } = show();
    await expect.poll(() => isOffered('Run step')).toBe(true);
    await user.click(await button('Run step'));
    await expect.poll(decisions).toEqual([{ stepKey: 'stop', action: 'proceed', pauseSince: SINCE }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('shows a refusal beside the choices', async () => {
    const { user } = show();
    refuse('post', DECISIONS, { status: 409, code: 'not_paused', detail: 'Someone else has decided.' });
    await expect.poll(() => isOffered('Run step')).toBe(true);
    await user.click(await button('Run step'));
    expect(await screen.findByText('Someone else has decided.')).toBeTruthy();
  });

  it('asks before it aborts, and sends the comment', async () => {
    const { user } = show();
    await expect.poll(() => isOffered('Abort run')).toBe(true);
    await user.click(await button('Abort run'));
    const dialog = within(await screen.findByRole('dialog'));
    expect(sent).toEqual([]);
    await user.type(dialog.getByLabelText('Comment'), 'Wrong release');
    await user.click(dialog.getByRole('button', { name: 'Abort run' }));
    await expect
      .poll(decisions)
      .toEqual([{ stepKey: 'stop', action: 'abort', comment: 'Wrong release', pauseSince: SINCE }]);
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  });

  it('keeps the comment when the decision is refused, and shows the refusal once', async () => {
    const { user } = show();
    refuse('post', DECISIONS, { status: 409, code: 'not_paused', detail: 'Someone else has decided.' });
    await expect.poll(() => isOffered('Abort run')).toBe(true);
    await user.click(await button('Abort run'));
    const dialog = within(await screen.findByRole('dialog'));
    await user.type(dialog.getByLabelText('Comment'), 'Stop');
    await user.click(dialog.getByRole('button', { name: 'Abort run' }));
    expect(await screen.findAllByText('Someone else has decided.')).toHaveLength(1);
    expect(dialog.getByLabelText('Comment')).toHaveProperty('value', 'Stop');
  });

  it('retries failed hosts, but one with an unknown result only if it was selected', async () => {
    const { user } = show({ pause: FAILURE, results: ['SUCCEEDED', 'FAILED', 'UNKNOWN'] });
    await expect.poll(() => isOffered('Retry failed hosts')).toBe(true);
    await user.click(await button('Retry failed hosts'));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getAllByRole('checkbox').map((box) => (box as HTMLInputElement).checked)).toEqual([true, false]);
    await user.click(dialog.getByRole('checkbox', { name: /^web-3/ }));
    await user.click(dialog.getByRole('button', { name: 'Retry failed hosts' }));
    await expect.poll(decisions).toMatchObject([{ action: 'retry_failed', serverIds: ['s2', 's3'] }]);
  });

  it('retries on at least one host', async () => {
    const { user } = show({ pause: FAILURE, results: ['FAILED', 'SUCCEEDED'] });
    await expect.poll(() => isOffered('Retry step')).toBe(true);
    await user.click(await button('Retry step'));
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'None' }));
    expect(dialog.getByRole('button', { name: 'Retry step' })).toHaveProperty('disabled', true);
  });

  it('lists the hosts that failed the step', async () => {
    show({ pause: FAILURE, results: ['SUCCEEDED', 'FAILED', 'FAILED'] });
    expect(await screen.findByText('Failed on 2 of 3')).toBeTruthy();
  });

  it('lists the causes of many failures, only those of the step', async () => {
    const causes = ['stop', 'start'].map((stepKey) => ({
      ...{ key: stepKey, stepKey, status: 'FAILED', exitCode: 3, reason: null, text: `${stepKey}: refused` },
      ...{ firstHost: { serverId: 's1', serverName: 'web-1' }, serverIds: ['s1', 's2', 's3', 's4', 's5', 's6'] },
    }));
    answer('get', '/api/executions/x1/failure-causes', { items: causes, moreCauses: 0, moreFailures: 0 });
    show({ pause: FAILURE, results: Array.from({ length: 6 }, () => 'FAILED') });
    expect(await screen.findByRole('link', { name: 'stop: refused' })).toBeTruthy();
    expect(screen.getAllByRole('listitem')).toHaveLength(1);
    expect(screen.queryByRole('button', { name: /Rerun/ })).toBeNull();
  });

  it('shows the content of the step, and how many hosts it leaves out', async () => {
    show({ hostStatus: 'FAILED' });
    expect(await screen.findByText('systemctl stop shop')).toBeTruthy();
    expect(screen.getByText('1 host failed earlier and will be left out.')).toBeTruthy();
  });

  it('names the steps after a gate, and asks before it opens', async () => {
    const pause: Partial<Pause> = { reason: 'GATE', stepKey: 'ask', text: 'Is the shop empty?', choices: ['proceed'] };
    const { user } = show({ pause });
    expect(await screen.findByText('Is the shop empty?')).toBeTruthy();
    expect(screen.getByText('Steps after the gate: Start.')).toBeTruthy();
    await expect.poll(() => isOffered('Open gate')).toBe(true);
    await user.click(await button('Open gate'));
    expect(await screen.findByRole('dialog')).toBeTruthy();
    expect(sent).toEqual([]);
  });

  it('shows an operator which grant is missing', async () => {
    const { user } = show({ awaitsYou: false });
    const who = 'Who can: Bo, Petra and 3 more (operators and admins).';
    expect(await screen.findByText(`Needs the grant “run” in live; ask an admin. ${who}`)).toBeTruthy();
    await user.click(await button('Run step'));
    expect(sent).toEqual([]);
  });

  it('offers a viewer no choice because of the role', async () => {
    show({ role: 'viewer', awaitsYou: false });
    await expect.poll(() => isOffered('Run step')).toBe(false);
    expect(screen.queryByText(/Needs the grant/)).toBeNull();
  });

  describe('on a phone', () => {
    beforeEach(() => {
      const wide = window.matchMedia('');
      vi.spyOn(window, 'matchMedia').mockImplementation((media) => ({
        ...wide,
        matches: media === '(max-width: 48em)',
      }));
    });
    afterEach(() => {
      vi.restoreAllMocks();
    });

    it('has the likely choice, the other choices and Cancel in a bar at the lower edge', async () => {
      const { user } = show({ pause: FAILURE, results: ['FAILED'] });
      const bar = within(await screen.findByRole('group', { name: 'Actions of the run' }));
      expect(bar.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
        'Cancel',
        'Choices',
        'Retry failed hosts',
      ]);
      expect(screen.queryByRole('button', { name: 'Abort run' })).toBeNull();
      await user.click(bar.getByRole('button', { name: 'Choices' }));
      const names = screen.getAllByRole('menuitem').map(({ firstChild }) => firstChild?.textContent);
      expect(names).toHaveLength(4);
      await expect.poll(() => screen.getByRole('menuitem', { name: /Abort run/ }).ariaDisabled).not.toBe('true');
      await user.click(screen.getByRole('menuitem', { name: /Abort run/ }));
      const dialog = within(await screen.findByRole('dialog'));
      await user.click(dialog.getByRole('button', { name: 'Abort run' }));
      await expect.poll(decisions).toMatchObject([{ action: 'abort' }]);
    });

    it('runs a confirmed step from the bar', async () => {
      const { user } = show();
      await expect.poll(() => isOffered('Run step')).toBe(true);
      await user.click(await button('Run step'));
      await expect.poll(decisions).toMatchObject([{ action: 'proceed' }]);
    });
  });
});
