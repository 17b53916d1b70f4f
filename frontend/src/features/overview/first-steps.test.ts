import { describe, expect, it } from 'vitest';
import type { Server } from '../../api/types';
import { type ExistingRecords, firstSteps } from './first-steps';

const nothing: ExistingRecords = { keys: [], environments: [], servers: [], plans: [], runs: [] };
const done = (records: Partial<ExistingRecords>) =>
  firstSteps({ ...nothing, ...records })
    .filter((step) => step.done)
    .map(({ key }) => key);
const server = (state: string | null, accepted: boolean) =>
  ({ hostKey: accepted ? {} : null, lastCheck: state && { state } }) as unknown as Server;

describe('the first steps', () => {
  it('are none done in an empty installation', () => {
    expect(done({})).toEqual([]);
    expect(firstSteps(nothing)).toHaveLength(6);
  });

  it('count a server as checked only when its key is accepted and it was reached', () => {
    expect(done({ servers: [server(null, false)] })).toEqual(['server']);
    expect(done({ servers: [server('reachable', false), server('unreachable', true)] })).toEqual(['server']);
    expect(done({ servers: [server('unreachable', false), server('reachable', true)] })).toEqual(['server', 'check']);
  });

  it('are completed independently', () => {
    expect(done({ runs: [{ status: 'FAILED' } as ExistingRecords['runs'][number]] })).toEqual([]);
    expect(done({ plans: [{} as ExistingRecords['plans'][number]] })).toEqual(['plan']);
  });
});
