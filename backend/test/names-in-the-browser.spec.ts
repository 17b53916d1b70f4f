import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { USABLE_FACTS } from '../src/inventory/facts/host-facts.js';
import { COMMAND_FILTERS } from '../src/plans/rendering/command-engine.js';

const NAMES = readFileSync(new URL('../../frontend/src/features/plans/names/names.ts', import.meta.url), 'utf8');

function listed(name: string): string[] {
  const list = new RegExp(`export const ${name}: readonly string\\[\\] = \\[(.*?)\\n\\];`, 's').exec(NAMES)?.[1] ?? '';
  return [...list.matchAll(/'([^']+)'/g)].map(([, each = '']) => each);
}

describe('the names that the plan editor completes', () => {
  it('are all filters of commands and all facts of hosts', () => {
    expect(listed('FILTERS').sort()).toEqual([...COMMAND_FILTERS].sort());
    expect(listed('HOST_FACTS').sort()).toEqual([...USABLE_FACTS].sort());
  });
});
