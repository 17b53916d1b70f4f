import { describe, expect, it } from '@jest/globals';
import { ROLES } from '../common/access/principal.js';
import { GRANT_LEVELS } from '../common/access/grant-level.js';
import { ENVIRONMENT_ACCESS, mayApprove, mayRun, maySee, type MemberRights } from './grant-policy.js';

const all: MemberRights[] = ROLES.flatMap((role) =>
  ENVIRONMENT_ACCESS.flatMap((access) => [null, ...GRANT_LEVELS].map((grant) => ({ role, access, grant }))),
);
const named = (rights: MemberRights[]): string[] =>
  rights.map(({ role, access, grant }) => `${role} ${access} ${grant}`);

describe('who may do what in an environment', () => {
  it('hides a restricted one from members without a grant, admins aside, and nothing else', () => {
    expect(named(all.filter((each) => !maySee(each)))).toEqual(['viewer restricted null', 'operator restricted null']);
  });

  it('lets operators run in open ones, and in restricted ones from the level run', () => {
    expect(named(all.filter(({ role }) => role !== 'admin').filter(mayRun))).toEqual([
      'operator open null',
      'operator open view',
      'operator open run',
      'operator open approve',
      'operator restricted run',
      'operator restricted approve',
    ]);
  });

  it('never lets a viewer run, whatever the grant, and always an admin', () => {
    expect(all.filter(({ role }) => role === 'viewer').some(mayRun)).toBe(false);
    expect(all.filter(({ role }) => role === 'admin').every(mayRun)).toBe(true);
  });

  it('lets only the level approve and admins let runs in, in open ones too', () => {
    expect(
      all.filter(({ role }) => role !== 'admin').every((each) => mayApprove(each) === (each.grant === 'approve')),
    ).toBe(true);
    expect(all.filter(({ role }) => role === 'admin').every(mayApprove)).toBe(true);
  });

  it('lets no machine let runs in, whatever its role and grant, and changes nothing else for it', () => {
    for (const rights of all) {
      const machine = { ...rights, machine: true };
      expect(mayApprove(machine)).toBe(false);
      expect([maySee(machine), mayRun(machine)]).toEqual([maySee(rights), mayRun(rights)]);
    }
  });

  it('lets nobody act where he sees nothing', () => {
    expect(all.filter((each) => !maySee(each) && (mayRun(each) || mayApprove(each)))).toEqual([]);
  });
});
