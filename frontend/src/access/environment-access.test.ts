import { describe, expect, it } from 'vitest';
import type { Environment, EnvironmentAccess, GrantLevel, ProtectionState, Role, Server } from '../api/types';
import {
  deletionObstacle,
  describeAccess,
  hostObstacle,
  includesLevel,
  missingApproval,
  missingGrant,
} from './environment-access';

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
    ['admin', 'restricted', null, 'Everything (admin)'],
    ['operator', 'restricted', null, 'No access'],
    ['operator', 'restricted', 'view', 'View only'],
    ['operator', 'restricted', 'run', 'Sees and runs'],
    ['operator', 'restricted', 'approve', 'Sees, runs and approves'],
    ['operator', 'open', null, 'Sees and runs'],
    ['operator', 'open', 'approve', 'Sees, runs and approves'],
    ['viewer', 'open', null, 'View only: viewers cannot start runs'],
    ['viewer', 'restricted', 'run', 'View only: viewers cannot start runs'],
    ['viewer', 'restricted', 'approve', 'Sees and approves'],
  ])('as %s in a %s environment with the grant %s: %s', (role, access, grant, text) => {
    expect(describeAccess({ role, access, grant })).toBe(text);
  });

  it('lacks the grant to run in a restricted environment only, and never for an admin', () => {
    expect(missingGrant('operator', environment('restricted', 'view'))).toBe(
      'Needs the grant “run” in prod; ask an admin',
    );
    expect(missingGrant('operator', environment('restricted', 'approve'))).toBeNull();
    expect(missingGrant('operator', environment('open', null))).toBeNull();
    expect(missingGrant('admin', environment('restricted', null))).toBeNull();
  });

  it('decides what servers protect with the grant to approve, and as an admin', () => {
    const needs = 'Needs the grant “approve” in prod; ask an admin';
    expect(missingApproval('operator', environment('open', 'run'))).toBe(needs);
    expect(missingApproval('operator', environment('open', 'approve'))).toBeNull();
    expect(missingApproval('admin', environment('restricted', null))).toBeNull();
  });
});

describe('the host of a server', () => {
  const MISSING_GRANT_REASON = '“prod” is protected: needs the grant “approve” there; ask an admin';
  const guarded = (grant: GrantLevel | null, isProtected = true) => ({
    ...environment('open', grant),
    protected: isProtected,
  });
  const server = (protection: ProtectionState, keys = 0) =>
    ({ protection, hostKeys: Array.from({ length: keys }, () => ({})) }) as Server;

  it('is changed in a protected environment only with the grant “approve”, once a key is pinned or the host is proved', () => {
    expect(hostObstacle('operator', guarded('run'), server('proved'))).toBe(MISSING_GRANT_REASON);
    expect(hostObstacle('operator', guarded(null), server('not_proved', 1))).toBe(MISSING_GRANT_REASON);
    expect(hostObstacle('operator', guarded(null), server('not_proved'))).toBeNull();
    expect(hostObstacle('operator', guarded('approve'), server('confirmed'))).toBeNull();
    expect(hostObstacle('admin', guarded(null), server('confirmed'))).toBeNull();
    expect(hostObstacle('operator', guarded(null, false), server('environment_open', 1))).toBeNull();
  });

  it('is deleted without it until it is proved', () => {
    expect(deletionObstacle('operator', guarded('run'), server('confirmed'))).toBe(MISSING_GRANT_REASON);
    expect(deletionObstacle('operator', guarded('run'), server('not_proved', 1))).toBeNull();
  });
});
