import { describe, expect, it } from 'vitest';
import { modeSwitchesOf } from './modes';

describe('the mode of a run', () => {
  it('can only be switched to one with fewer confirmations', () => {
    expect(modeSwitchesOf({ execution_mode: 'interactive', status: 'PAUSED' })).toEqual(['semi_assisted', 'auto']);
    expect(modeSwitchesOf({ execution_mode: 'semi_assisted', status: 'RUNNING' })).toEqual(['auto']);
    expect(modeSwitchesOf({ execution_mode: 'auto', status: 'RUNNING' })).toEqual([]);
    expect(modeSwitchesOf({ execution_mode: 'dry_run', status: 'RUNNING' })).toEqual([]);
  });

  it('can no longer be switched once the run ends', () => {
    expect(modeSwitchesOf({ execution_mode: 'interactive', status: 'CANCELLING' })).toEqual([]);
    expect(modeSwitchesOf({ execution_mode: 'interactive', status: 'SUCCEEDED' })).toEqual([]);
  });
});
