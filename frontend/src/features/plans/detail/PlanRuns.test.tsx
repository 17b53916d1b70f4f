import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import { PlanRuns } from './PlanRuns';

const { answer } = fakeServer();

function show(ids: string[]) {
  const items = ids.map((id, index) => ({
    ...{ id, planName: 'Deploy', planRevision: 1, environmentName: 'staging', status: 'SUCCEEDED', labels: {} },
    ...{ hostCount: 1, execution_mode: 'auto', startedBy: { id: 'm1', name: 'Ana' }, startedVia: 'session' },
    ...{ parentId: null, pin: null, queue: null, schedule: null, statusReason: null, note: null, awaitsYou: false },
    createdAt: `2026-01-0${9 - index}T00:00:00Z`,
    ...{ startedAt: null, finishedAt: null, tokenPrefix: null },
  }));
  answer('get', '/api/executions', { items, nextCursor: null });
  return renderComponent(<PlanRuns planId="p1" />).user;
}
const boxes = () => screen.findAllByRole<HTMLInputElement>('checkbox');

describe('the runs of a plan', () => {
  it('are compared two at a time, the earlier with the later', async () => {
    const user = show(['c', 'b', 'a']);
    const [newest, middle, oldest] = await boxes();
    if (!newest || !middle || !oldest) throw new Error('The runs have no check boxes.');
    expect(screen.queryByRole('link', { name: 'Compare the two runs' })).toBeNull();
    await user.click(newest);
    await user.click(middle);
    const link = () => new URL(screen.getByRole<HTMLAnchorElement>('link', { name: 'Compare the two runs' }).href);
    expect([link().pathname, link().searchParams.get('with')]).toEqual(['/executions/c/compare', 'b']);
    await user.click(oldest);
    expect((await boxes()).map(({ checked }) => checked)).toEqual([false, true, true]);
    expect([link().pathname, link().searchParams.get('with')]).toEqual(['/executions/b/compare', 'a']);
  });

  it('cannot be selected when there is only one', async () => {
    show(['a']);
    await screen.findByRole('table');
    expect(screen.queryByRole('checkbox')).toBeNull();
  });
});
