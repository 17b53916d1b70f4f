import { describe, expect, it } from 'vitest';
import { durationChange } from './duration-change';

describe('the change of a duration', () => {
  it('is shown with its sign', () => {
    expect(durationChange(4_000, 61_000)).toEqual({ text: '+57 s', tone: 'slower' });
    expect(durationChange(61_000, 4_000)).toEqual({ text: '−57 s', tone: 'faster' });
  });

  it('is not shown when it is small, alone or compared with the duration', () => {
    expect(durationChange(100, 900)).toEqual({ text: '', tone: 'same' });
    expect(durationChange(600_000, 660_000)).toEqual({ text: '', tone: 'same' });
    expect(durationChange(null, 900)).toBeNull();
    expect(durationChange(900, null)).toBeNull();
  });
});
