import { describe, expect, it } from '@jest/globals';
import { chooseSliceSize } from './slice-size.js';

const countLiving = (count: number) => () => Promise.resolve(count);
const failOnCount = () => Promise.reject(new Error('The workers must not be counted.'));

describe('the hosts of a slice', () => {
  it.each([101, 200, 10_000])('are 100 for a step with %d hosts when several workers share it', async (hosts) => {
    expect(await chooseSliceSize(hosts, null, countLiving(2))).toBe(100);
  });

  it('are 250 when only one worker is alive', async () => {
    expect(await chooseSliceSize(200, null, countLiving(1))).toBe(250);
  });

  it('need no count of workers when the step fits into one slice', async () => {
    expect(await chooseSliceSize(100, null, failOnCount)).toBe(100);
  });

  it('equal the setting for any number of workers', async () => {
    expect(await chooseSliceSize(10_000, 7, failOnCount)).toBe(7);
  });
});
