import { describe, expect, it } from 'vitest';
import { lastState } from './last-state';

describe('a line with carriage returns', () => {
  it('shows its last state', () => {
    expect(['10 %\r50 %\r100 %', '100 %\r', 'plain', '\r', '1\r\r2'].map(lastState)).toEqual([
      ...['100 %', '100 %', 'plain', '', '2'],
    ]);
  });
});
