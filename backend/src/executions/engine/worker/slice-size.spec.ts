import { describe, expect, it } from '@jest/globals';
import { sliceHostsOf } from './slice-size.js';

const living = (count: number) => () => Promise.resolve(count);
const unasked = () => Promise.reject(new Error('Nobody was to be asked.'));

describe('the hosts of a slice', () => {
  it.each([101, 200, 10_000])('are 100 of a step with %d hosts where several workers share it', async (hosts) => {
    expect(await sliceHostsOf(hosts, null, living(2))).toBe(100);
  });

  it('are 250 where one worker has the run to itself', async () => {
    expect(await sliceHostsOf(200, null, living(1))).toBe(250);
  });

  it('need no look at the workers where no number of them makes slices of the step', async () => {
    expect(await sliceHostsOf(100, null, unasked)).toBe(100);
  });

  it('are what the setting says, whoever there is', async () => {
    expect(await sliceHostsOf(10_000, 7, unasked)).toBe(7);
  });
});
