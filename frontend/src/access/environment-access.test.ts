import { describe, expect, it } from 'vitest';
import type { Environment, EnvironmentAccess, GrantLevel, Role } from '../api/types';
import { describeAccess, includesLevel, missingApproval, missingGrant } from './environment-access';

const environment = (access: EnvironmentAccess, currentUserGrant: GrantLevel | null) =>
  ({ name: 'prod', access, currentUserGrant }) as Environment;

describe('grants', () => {
  it('include the levels below them', () => {
    expect(includesLevel('approve', 'run')).toBe(true);
    expect(includesLevel('run', 'approve')).toBe(false);
    expect(includesLevel('view', 'view')).toBe(true);
    expect(includesLevel(null, 'view')).toBe(false);
  });
});

describe('what a member may do in an environment', () => {
  it.each<[Role, EnvironmentAccess, GrantLevel | null, string]>([
    ['admin', 'restricted', null, 'Everything, as an admin'],
    ['operator', 'restricted', null, 'Nothing: does not see it'],
    ['operator', 'restricted', 'view', 'Sees, no more'],
    ['operator', 'restricted', 'run', 'Sees and runs'],
    ['operator', 'restricted', 'approve', 'Sees, runs and approves'],
    ['operator', 'open', null, 'Sees and runs'],
    ['operator', 'open', 'approve', 'Sees, runs and approves'],
    ['viewer', 'open', null, 'Sees; a viewer runs nothing'],
    ['viewer', 'restricted', 'run', 'Sees; a viewer runs nothing'],
    ['viewer', 'restricted', 'approve', 'Sees and approves'],
  ])('as %s in a %s environment with the grant %s: %s', (role, access, grant, text) => {
    expect(describeAccess({ role, access, grant })).toBe(text);
  });

  it('lacks the grant to run in a restricted environment only, and never for an admin', () => {
    expect(missingGrant('operator', environment('restricted', 'view'))).toBe(
      'Needs the grant “run” in prod, which an admin gives',
    );
    expect(missingGrant('operator', environment('restricted', 'approve'))).toBeNull();
    expect(missingGrant('operator', environment('open', null))).toBeNull();
    expect(missingGrant('admin', environment('restricted', null))).toBeNull();
  });

  it('decides what servers protect with the grant to approve, and as an admin', () => {
    const needs = 'Needs the grant “approve” in prod, which an admin gives';
    expect(missingApproval('operator', environment('open', 'run'))).toBe(needs);
    expect(missingApproval('operator', environment('open', 'approve'))).toBeNull();
    expect(missingApproval('admin', environment('restricted', null))).toBeNull();
  });
});
