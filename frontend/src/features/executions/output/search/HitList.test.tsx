import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { renderComponent } from '../../../../../test/render';
import type { Execution, Hit, HitCount } from '../../../../api/types';
import { keyOfCell } from './hit-counts.reducer';
import { HitList } from './HitList';

const steps = [{ key: 's1', name: 'Migrate', path: [] }] as unknown as Execution['steps'];
const cell = (name: string, hits: number): HitCount => ({ stepKey: 's1', serverId: name, serverName: name, hits });
const hit = (name: string, line: number): Hit => ({
  ...{ stepKey: 's1', serverId: name, serverName: name, stream: 'stderr', line, position: 100 + line },
  ...{ text: '10%\rConnection REFUSED', at: '2026-03-14T02:00:00Z' },
  before: [{ line: line - 1, stream: 'stdout', text: 'connecting' }],
  after: [{ line: line + 1, stream: 'stdout', text: 'giving up' }],
});

function show(cells: HitCount[], hits: Hit[] = [], selected?: number) {
  const calls = { onToggle: vi.fn(), onLoad: vi.fn(), onSelect: vi.fn() };
  const loaded = new Map(
    cells.map((one) => [keyOfCell(one), hits.filter(({ serverId }) => serverId === one.serverId)]),
  );
  const rendered = renderComponent(
    <HitList
      {...{ steps, cells, loaded, selected, ...calls }}
      open={new Set(hits.map(keyOfCell))}
      q="refused"
      timeOf={() => null}
    />,
  );
  return { ...rendered, ...calls };
}

describe('the list of hits', () => {
  it('shows each hit among its neighbours, under its host and step', async () => {
    const { user, onSelect } = show([cell('web-1', 2), cell('web-2', 1)], [hit('web-1', 8), hit('web-1', 30)], 130);
    const group = screen.getByRole('region', { name: 'web-1 · Migrate' });
    const [first, second] = within(group).getAllByTestId('hit');
    expect(first?.textContent).toBe('7connecting8EConnection REFUSED9giving up');
    expect(first?.querySelector('mark')?.textContent).toBe('REFUSED');
    expect([first, second].map((one) => one?.getAttribute('aria-current'))).toEqual(['false', 'true']);
    await user.click(screen.getByRole('button', { name: 'Line 8: Connection REFUSED' }));
    expect(onSelect).toHaveBeenCalledWith(hit('web-1', 8));
    expect(screen.getByRole('button', { name: 'web-2 · Migrate, 1 hit' }).getAttribute('aria-expanded')).toBe('false');
  });

  it('says how many hits of a host are not loaded, and loads more', async () => {
    const { user, onLoad } = show([cell('web-1', 1240)], [hit('web-1', 8)]);
    await user.click(screen.getByRole('button', { name: 'Show more hits (1 of 1,240)' }));
    expect(onLoad).toHaveBeenCalledWith(cell('web-1', 1240));
  });

  it('shows 100 hosts at first', async () => {
    const { user } = show(Array.from({ length: 250 }, (_, index) => cell(`web-${index}`, 1)));
    expect(screen.getAllByRole('button', { expanded: false })).toHaveLength(100);
    await user.click(screen.getByRole('button', { name: 'Show more hosts (100 of 250)' }));
    expect(screen.getAllByRole('button', { expanded: false })).toHaveLength(200);
  });
});
