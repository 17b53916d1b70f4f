import { describe, expect, it } from '@jest/globals';
import {
  type CallerLimits,
  isLimitedToEnvironments,
  isLimitedToRecords,
  allowsApproval,
  findLimitObstacle,
  type RouteReach,
  TOKEN_ACCESS,
  type TokenAccess,
} from './caller-limits.js';

const limits = (access: TokenAccess, more: Partial<CallerLimits> = {}): CallerLimits => ({ access, ...more });
const ENVIRONMENT = { environmentIds: ['e'] };
const PLAN = { planIds: ['p'] };
const route = (reach: RouteReach, access: TokenAccess = 'read', people = false) => ({ reach, access, people });

describe('a credential', () => {
  it('without limits can call every route', () => {
    for (const reach of ['caller', 'plan', 'environment', 'tenant'] as const)
      for (const access of TOKEN_ACCESS) expect(findLimitObstacle(null, route(reach, access, true))).toBeNull();
  });

  it.each<[TokenAccess, TokenAccess, boolean]>([
    ['read', 'read', true],
    ['read', 'run', false],
    ['read', 'all', false],
    ['run', 'read', true],
    ['run', 'run', true],
    ['run', 'all', false],
    ['all', 'read', true],
    ['all', 'run', true],
    ['all', 'all', true],
  ])('with the access %s can call a route that needs %s: %s', (access, neededAccess, may) => {
    expect(findLimitObstacle(limits(access), route('plan', neededAccess))).toBe(may ? null : 'access');
  });

  it.each<[string, Partial<CallerLimits>, RouteReach[]]>([
    ['no records', {}, ['caller', 'plan', 'environment', 'tenant']],
    ['environments', ENVIRONMENT, ['caller', 'plan', 'environment']],
    ['plans', PLAN, ['caller', 'plan']],
    ['both', { ...ENVIRONMENT, ...PLAN }, ['caller', 'plan']],
    ['no environment at all', { environmentIds: [] }, ['caller', 'plan', 'environment']],
    ['no plan at all', { planIds: [] }, ['caller', 'plan']],
  ])('that is limited to %s has no further reach', (_, allowedReach, reached) => {
    for (const reach of ['caller', 'plan', 'environment', 'tenant'] as const)
      expect({ reach, obstacle: findLimitObstacle(limits('all', allowedReach), route(reach)) }).toEqual({
        reach,
        obstacle: reached.includes(reach) ? null : 'reach',
      });
  });

  it('of a machine is refused only on routes for people', () => {
    const machine = limits('all', { machine: true });
    expect([
      findLimitObstacle(machine, route('plan', 'all', true)),
      findLimitObstacle(machine, route('plan', 'all')),
    ]).toEqual(['machine', null]);
    expect(findLimitObstacle(limits('all'), route('plan', 'all', true))).toBeNull();
  });

  it.each<[CallerLimits | null, boolean]>([
    [null, true],
    [limits('all'), true],
    [limits('all', ENVIRONMENT), true],
    [limits('run'), false],
    [limits('read'), false],
    [limits('all', { machine: true }), false],
  ])('allows approval only with full access and for people: %j', (of, may) => {
    expect(allowsApproval(of)).toBe(may);
  });

  it.each<[CallerLimits | null, boolean, boolean]>([
    [null, false, false],
    [limits('read'), false, false],
    [limits('all', ENVIRONMENT), true, true],
    [limits('all', { environmentIds: [] }), true, true],
    [limits('all', PLAN), false, true],
  ])('reports whether it is limited to environments, or to any records: %j', (of, environments, records) => {
    expect([isLimitedToEnvironments(of), isLimitedToRecords(of)]).toEqual([environments, records]);
  });
});
