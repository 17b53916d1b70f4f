import { describe, expect, it } from 'vitest';
import { ROLES } from '../api/lists';
import { includesRole, missingRole } from './roles';

describe('roles', () => {
  it('include themselves and those below, never those above', () => {
    const table = ROLES.map((role) => ROLES.filter((needed) => includesRole(role, needed)));
    expect(table).toEqual([['viewer'], ['viewer', 'operator'], ['viewer', 'operator', 'admin']]);
  });

  it('name the missing role', () => {
    expect(missingRole('viewer', 'operator')).toBe('Needs the Operator role');
    expect(missingRole('operator', 'admin')).toBe('Needs the Admin role');
    expect(missingRole('admin', 'operator')).toBeNull();
  });

  it('permit nothing while it is not known who is signed in', () => {
    expect(missingRole(undefined, 'viewer')).toBe('Needs the Viewer role');
  });
});
