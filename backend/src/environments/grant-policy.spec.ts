import { describe, expect, it } from '@jest/globals';
import { ROLES } from '../common/access/principal.js';
import { ENVIRONMENT_ACCESS, GRANT_LEVELS, mayApprove, mayRun, maySee, type MemberStatus } from './grant-policy.js';

const all: MemberStatus[] = ROLES.flatMap((role) =>
  ENVIRONMENT_ACCESS.flatMap((access) => [null, ...GRANT_LEVELS].map((grant) => ({ role, access, grant }))),
);
const named = (rights: MemberStatus[]): string[] =>
  rights.map(({ role, access, grant }) => `${role} ${access} ${grant}`);

describe('rights in an environment', () => {
  it('hide only restricted environments, from members without a grant who are not admins', () => {
    expect(named(all.filter((each) => !maySee(each)))).toEqual(['viewer restricted null', 'operator restricted null']);
  });

  it('allow operators to run in open ones, and in restricted ones with the level run', () => {
    expect(named(all.filter(({ role }) => role !== 'admin').filter(mayRun))).toEqual([
      'operator open null',
      'operator open view',
      'operator open run',
      'operator open approve',
      'operator restricted run',
      'operator restricted approve',
    ]);
  });

  it('never allow a viewer to run, whatever the grant, and always allow an admin', () => {
    expect(all.filter(({ role }) => role === 'viewer').some(mayRun)).toBe(false);
    expect(all.filter(({ role }) => role === 'admin').every(mayRun)).toBe(true);
  });

  it('allow only members with the level approve and admins to approve runs, even in open ones', () => {
    expect(
      all.filter(({ role }) => role !== 'admin').every((each) => mayApprove(each) === (each.grant === 'approve')),
    ).toBe(true);
    expect(all.filter(({ role }) => role === 'admin').every(mayApprove)).toBe(true);
  });

  it('never allow a machine to approve runs, whatever its role and grant, and do not restrict it further', () => {
    for (const rights of all) {
      const machine = { ...rights, machine: true };
      expect(mayApprove(machine)).toBe(false);
      expect([maySee(machine), mayRun(machine)]).toEqual([maySee(rights), mayRun(rights)]);
    }
  });

  it('allow no action without visibility', () => {
    expect(all.filter((each) => !maySee(each) && (mayRun(each) || mayApprove(each)))).toEqual([]);
  });
});
