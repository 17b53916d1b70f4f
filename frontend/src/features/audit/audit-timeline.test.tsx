import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { renderComponent } from '../../../test/render';
import type { AuditLog } from '../../api/types';
import { AuditTimeline } from './AuditTimeline';

const entry = (sequence: number, at: Date, more: object = {}) =>
  ({
    ...{ id: `n${sequence}`, sequence, at: at.toISOString(), action: 'plan.update', requestId: null, hash: 'h' },
    ...{ resourceType: 'plan', resourceId: 'p1', resourceName: 'Deploy shop', before: null, after: null },
    actor: { kind: 'user', id: 'm1', name: 'Ana', tokenPrefix: null, address: null },
    ...more,
  }) as AuditLog;
const show = (rows: AuditLog[]) =>
  renderComponent(
    <AuditTimeline list={{ rows, error: null, refetch: () => undefined, more: null }} empty={<p>Nothing here</p>} />,
  );

describe('the audit timeline', () => {
  it('says who did what to which record, by day', () => {
    const system = { kind: 'system', id: null, name: null, tokenPrefix: null, address: null };
    const run = { action: 'execution.failed', resourceType: 'execution', actor: system };
    show([entry(2, new Date(2026, 10, 28, 9, 30)), entry(1, new Date(2026, 10, 27, 9), run)]);
    const [newer, older] = screen.getAllByRole('list').map((list) => within(list).getByRole('listitem').textContent);
    expect(newer).toContain('09:30Ana changed plan Deploy shop');
    expect(older).toContain('Runward reported failure of run Deploy shop');
    expect(screen.getByRole('region', { name: /^Saturday,? 28 November 2026$/ })).toBeTruthy();
    expect(screen.getAllByRole('link', { name: 'Deploy shop' })[0]?.getAttribute('href')).toContain('resource=p1');
  });

  it('shows differences in place, and the raw entry on request', async () => {
    const { user } = show([entry(7, new Date(2026, 10, 28), { before: { retries: 1 }, after: { retries: 3 } })]);
    expect(screen.queryByRole('table')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Changes of entry 7' }));
    expect(within(screen.getByRole('table', { name: 'Before and after' })).getByText('retries')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'JSON of entry 7' }));
    expect(screen.queryByRole('table')).toBeNull();
    expect(screen.getByLabelText('JSON of entry 7', { selector: 'pre' }).textContent).toContain(
      '"action": "plan.update"',
    );
  });

  it('says what to do when no entry matches', () => {
    show([]);
    expect(screen.getByText('Nothing here')).toBeTruthy();
  });
});
