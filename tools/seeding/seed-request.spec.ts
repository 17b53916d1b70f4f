import { describe, expect, it } from '@jest/globals';
import { readSeedRequest } from './seed-request.js';

describe('readSeedRequest', () => {
  it('has defaults', () => {
    expect(readSeedRequest({})).toEqual({
      tenant: undefined,
      runs: 10_000,
      environments: 3,
      servers: 24,
      years: 3,
      seed: undefined,
    });
  });

  it('returns the given values', () => {
    expect(
      readSeedRequest({
        tenant: 'Brick Works',
        runs: '200000',
        environments: '5',
        servers: '60',
        years: '4',
        seed: '0',
      }),
    ).toEqual({ tenant: 'Brick Works', runs: 200_000, environments: 5, servers: 60, years: 4, seed: 0 });
  });

  it('lists all invalid values with advice, one per line', () => {
    const faults = (given: Parameters<typeof readSeedRequest>[0]): string[] => {
      try {
        readSeedRequest(given);
        return [];
      } catch (error) {
        return (error as Error).message.split('\n');
      }
    };
    expect(faults({ runs: 'many', years: '0', tenant: ' x', environments: '3.5', servers: '5001' })).toEqual([
      '--tenant: give a name of 1 to 100 characters that neither begins nor ends with a space, such as --tenant seeded.',
      '--runs many: give a whole number from 1 to 2,000,000, such as 10000.',
      '--environments 3.5: give a whole number from 1 to 50, such as 3.',
      '--servers 5001: give a whole number from 1 to 5,000, such as 24.',
      '--years 0: give a whole number from 1 to 20, such as 3.',
    ]);
    expect(faults({ seed: '1e3' })).toEqual(['--seed 1e3: give a whole number from 0 to 999,999,999, such as 7.']);
    expect(faults({ runs: '-1' })).toHaveLength(1);
    expect(faults({ runs: '2000001' })).toHaveLength(1);
    expect(faults({ servers: '2', environments: '4' })).toEqual([
      '--servers 2: each environment needs one, so give at least 4, or fewer --environments.',
    ]);
  });
});
