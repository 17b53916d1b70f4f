import { describe, expect, it } from 'vitest';
import { freezeObstacle, holds, overrideField } from './freeze';

const freeze = { collectionId: 'c', collectionName: 'Releases', reason: 'Release', until: '2026-11-24T08:00:00Z' };

describe('a freeze', () => {
  it('holds until its end, whatever was read before', () => {
    expect(holds(freeze, Date.parse('2026-11-24T07:59:59Z'))).toBe(true);
    expect(holds(freeze, Date.parse('2026-11-24T08:00:00Z'))).toBe(false);
    expect(holds(null, 0)).toBe(false);
  });

  it('keeps runs from starting, but not dry runs', () => {
    expect(freezeObstacle(freeze, 'auto', null)).toMatch(/^Frozen until 24 Nov 2026.*: Release$/);
    expect(freezeObstacle(freeze, 'dry_run', null)).toBeNull();
    expect(freezeObstacle(null, 'auto', null)).toBeNull();
  });

  it('is overridden with a reason only', () => {
    expect(freezeObstacle(freeze, 'auto', ' ')).toBe('Enter the reason for starting despite the freeze');
    expect(freezeObstacle(freeze, 'auto', 'Hotfix')).toBeNull();
    expect(overrideField(freeze, 'auto', ' Hotfix ')).toEqual({ freezeOverride: 'Hotfix' });
  });

  it('is not overridden where none holds, and not for a dry run', () => {
    expect(overrideField(null, 'auto', 'Hotfix')).toEqual({});
    expect(overrideField(freeze, 'dry_run', 'Hotfix')).toEqual({});
    expect(overrideField(freeze, 'auto', null)).toEqual({});
  });
});
