import { describe, expect, it } from 'vitest';
import { closedWindow, windowObstacle, windowOverrideField, windowText } from './run-window';

const closed = { open: false, closesAt: null, opensAt: '2026-12-27T06:00:00.000Z', blackout: 'Christmas' };
const open = { open: true, closesAt: null, opensAt: null, blackout: null };

describe('the run windows of an environment', () => {
  it('are described with the opening time and the reason', () => {
    expect(windowText(closed)).toMatch(/^Outside the run windows \(Christmas\) until 27 Dec 2026/);
    expect(windowText(open)).toBe('The run window is open.');
  });

  it('keep a start back, unless an admin says why not; never a dry run', () => {
    expect(windowObstacle(closed, 'auto', null)).toContain('Outside the run windows');
    expect(windowObstacle(closed, 'auto', ' ')).toBe('Enter the reason for starting outside the run windows');
    expect(windowObstacle(closed, 'auto', 'urgent')).toBeNull();
    expect(windowObstacle(closed, 'dry_run', null)).toBeNull();
    expect(windowOverrideField(closed, 'auto', ' urgent ')).toEqual({ windowOverride: 'urgent' });
    expect(windowOverrideField(null, 'auto', 'urgent')).toEqual({});
  });

  it('are open again when their time has come since they were read', () => {
    expect(closedWindow({ runWindowState: closed }, Date.parse('2026-12-27T05:59:59Z'))).toBe(closed);
    expect(closedWindow({ runWindowState: closed }, Date.parse('2026-12-27T06:00:00Z'))).toBeNull();
    expect(closedWindow({ runWindowState: open }, 0)).toBeNull();
    expect(closedWindow(undefined, 0)).toBeNull();
  });
});
