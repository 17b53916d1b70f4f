import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { renderComponent } from '../../../../test/render';
import type { Schedule } from '../../../api/types';
import { ScheduleNotices } from './ScheduleNotices';

const FIRE = { at: '2026-11-01T02:00:00Z', outcome: 'started', executionId: 'r1', reason: null };
const show = (lastFire: object | null) =>
  renderComponent(<ScheduleNotices schedule={{ paused: null, lastFire } as Schedule} />);

describe('the notices of a schedule', () => {
  it('show that its latest run failed', () => {
    show({ ...FIRE, executionStatus: 'FAILED' });
    expect(screen.getByText('Failed')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Open run' }).getAttribute('href')).toBe('/executions/r1');
  });

  it.each(['SUCCEEDED', 'RUNNING', null])('are absent while its latest run is %s', (executionStatus) => {
    show({ ...FIRE, executionStatus });
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('show why no run was started', () => {
    const reason = { code: 'plan_missing', text: 'The plan was deleted.' };
    show({ ...FIRE, outcome: 'refused', executionId: null, executionStatus: null, reason });
    expect(screen.getByText('The plan was deleted.')).toBeTruthy();
  });
});
