import { describe, expect, it } from 'vitest';
import type { Execution, PlanRevisionDiff, PlanVariable, ResolvedVariable, TargetsPreview } from '../../../api/types';
import { startChanges } from './start-changes';

type Success = Parameters<typeof startChanges>[0];
type Next = Parameters<typeof startChanges>[1];

const host = (name: string) => ({ serverId: name, name }) as Execution['hosts'][number];
const server = (name: string) => ({ id: name, name }) as TargetsPreview['servers'][number];
const variables = [
  { name: 'TAG', type: 'string' },
  { name: 'TOKEN', type: 'secret' },
] as PlanVariable[];
const success = (change: Partial<Success> = {}): Success => ({
  ...{ planRevision: 3, variables: { TAG: 'v1', TOKEN: '***' }, hosts: [host('web-1')], hostsNextCursor: null },
  hostCount: 1,
  ...change,
});
const next = (change: Partial<Next> = {}): Next => ({
  plan: { revision: 3, variables },
  entered: { TAG: '', TOKEN: 'other' },
  resolved: [{ name: 'TAG', value: 'v1' } as ResolvedVariable],
  preview: { count: 1, servers: [server('web-1')] },
  diff: undefined,
  ...change,
});

describe('the changes of a start since the last success', () => {
  it('are none for the same revision, values and hosts; secrets are not compared', () => {
    expect(startChanges(success(), next())).toEqual([]);
  });

  it('name the content of the plan, values and hosts', () => {
    const diff = { changes: [{ kind: 'step', part: 'migrate', change: 'changed', fields: ['command'] }] };
    const changed = next({
      plan: { revision: 5, variables },
      entered: { TAG: 'v2', TOKEN: '' },
      preview: { count: 2, servers: [server('web-2'), server('web-3')] },
      diff: diff as unknown as PlanRevisionDiff,
    });
    expect(startChanges(success(), changed)).toEqual([
      'Revision 3 → 5',
      'Step migrate changed: command',
      'TAG: v1 → v2',
      'web-2, web-3 added',
      'web-1 removed',
    ]);
  });

  it('count the hosts of a large fleet, of which only the first are known', () => {
    const large = { count: 300, servers: [server('web-1')] };
    expect(startChanges(success({ hostCount: 298 }), next({ preview: large }))).toEqual(['Hosts: 298 → 300']);
    expect(startChanges(success({ hostCount: 300 }), next({ preview: large }))).toEqual([]);
  });

  it('are at most six lines, with the number of further changes', () => {
    const many = Array.from({ length: 9 }, (_, index) => ({ name: `V${index}`, type: 'string' })) as PlanVariable[];
    const entered = Object.fromEntries(many.map(({ name }) => [name, 'x']));
    const lines = startChanges(success(), next({ plan: { revision: 3, variables: many }, entered, resolved: [] }));
    expect([lines.length, lines.at(-1)]).toEqual([6, '4 more changes']);
  });
});
