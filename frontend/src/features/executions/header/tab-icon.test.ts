import { describe, expect, it } from 'vitest';
import type { Execution } from '../../../api/types';
import { tabIcon } from './tab-icon';

const iconOf = (status: Execution['status'], succeeded = 0) =>
  decodeURIComponent(
    tabIcon({ status, hostCount: 4, steps: [{ counts: { SUCCEEDED: succeeded } }] as unknown as Execution['steps'] }),
  );
const progress = (icon: string) => Number(/stroke-dasharray="([\d.]+)/.exec(icon)?.[1]);

describe('the icon of the tab of a run', () => {
  it('is a ring with the progress while the run runs', () => {
    expect([iconOf('RUNNING', 0), iconOf('RUNNING', 2), iconOf('RUNNING', 4)].map(progress)).toEqual([0, 37.7, 75.4]);
  });

  it('is a disc with the outcome otherwise', () => {
    const icons = (['SUCCEEDED', 'FAILED', 'PAUSED', 'PENDING'] as const).map((status) => iconOf(status));
    expect(new Set(icons).size).toBe(4);
    for (const icon of icons) expect(progress(icon)).toBeNaN();
  });
});
