import { describe, expect, it } from '@jest/globals';
import { findNeverStartedDoubt } from './never-started.js';

const seconds = (count: number) => count * 1000;
const DAY = seconds(24 * 3600);

describe('a host that does not know a command', () => {
  it.each([
    ['booted long before the intent', DAY, seconds(30), false],
    ['booted well before the intent', seconds(40), seconds(30), false],
    ['booted after the intent', seconds(20), seconds(30), true],
    ['has just booted', 0, seconds(30), true],
    ['has just booted, as the intent was stored just now', 0, 0, true],
    ['booted too close to the intent to decide by whole seconds', seconds(31), seconds(30), true],
    ['booted too close to the intent for clocks that drift apart', DAY + seconds(60), DAY, true],
    ['booted before the intent by more than clocks drift apart', DAY * 1.02, DAY, false],
  ])('%s: a possible boot since then counts as a boot', (_what, hostUpMs, sinceIntentMs, may) => {
    const isStartUnknown = findNeverStartedDoubt(hostUpMs, sinceIntentMs);
    expect(isStartUnknown).toEqual(may ? expect.stringContaining('booted after') : null);
  });

  it('may have booted after an intent whose time is not known', () => {
    expect(findNeverStartedDoubt(1000 * DAY, null)).toContain('booted after');
  });

  it('is believed when it does not report its uptime', () => {
    expect(findNeverStartedDoubt(undefined, seconds(30))).toBeNull();
    expect(findNeverStartedDoubt(undefined, null)).toBeNull();
  });

  it('may have removed a command that is a week old, however long it has been up', () => {
    for (const hostUpMs of [1000 * DAY, undefined]) {
      expect(findNeverStartedDoubt(hostUpMs, 6 * DAY)).toBeNull();
      expect(findNeverStartedDoubt(hostUpMs, 7 * DAY)).toContain('removed');
    }
  });
});
