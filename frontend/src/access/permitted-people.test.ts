import { describe, expect, it } from 'vitest';
import { permittedText } from './permitted-people';

const rule = 'operators and admins';

describe('the people who have a right in a run', () => {
  it.each([
    [['Ana'], 0, 'Who can: Ana (operators and admins).'],
    [['Ana', 'Petra', 'Zoe'], 0, 'Who can: Ana, Petra and Zoe (operators and admins).'],
    [['Ana', 'Petra'], 1_200, 'Who can: Ana, Petra and 1,200 more (operators and admins).'],
    [[], 0, 'No other member can do this now (only operators and admins).'],
  ])('%j and %d more', (names, more, text) => {
    expect(permittedText({ names, more, rule })).toBe(text);
  });
});
