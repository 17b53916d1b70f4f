import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import type { Execution, RunComparison } from '../../../api/types';
import { ChangesSinceSuccess } from './ChangesSinceSuccess';

const { answer } = fakeServer();
const difference = (kind: 'step' | 'host', name: string, change: 'added' | 'changed') =>
  ({ kind, name, change, before: null, after: null }) as const;

function show(comparison: Partial<RunComparison>) {
  answer('get', '/api/executions/x2/comparison', {
    ...{ comparedTo: { id: 'x1', planRevision: 11, finishedAt: '2026-01-01T00:00:00Z' }, differences: [] },
    ...{ differenceCounts: [], moreDifferences: 0, usualDuration: null },
    steps: [{ key: 's1', name: 'Migrate', before: null, after: null }],
    ...comparison,
  });
  renderComponent(<ChangesSinceSuccess run={{ id: 'x2', planRevision: 12 } as Execution} />);
}
const sentence = async () => (await screen.findByRole('group', { name: 'Changes since the last success' })).textContent;

describe('the changes since the last success', () => {
  it('name steps, and count hosts, with links to the run and the comparison', async () => {
    show({
      differences: [difference('step', 's1', 'changed'), difference('host', 'web-1', 'added')],
      differenceCounts: [
        { kind: 'step', change: 'changed', count: 1 },
        { kind: 'host', change: 'added', count: 300 },
      ],
    });
    expect(await sentence()).toMatch(
      /^Since the last success \(revision 11 → 12, .*\): Migrate changed, 300 hosts added\. Compare$/,
    );
    const links = screen.getAllByRole<HTMLAnchorElement>('link').map(({ pathname }) => pathname);
    expect(links).toEqual(['/executions/x1', '/executions/x2/compare']);
  });

  it('say when nothing changed', async () => {
    show({});
    expect(await sentence()).toMatch(/^No changes since the last success/);
  });
});
