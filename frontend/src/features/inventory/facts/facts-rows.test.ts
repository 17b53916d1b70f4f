import { describe, expect, it } from 'vitest';
import type { HostFacts } from '../../../api/types';
import { factsRows } from './facts-rows';

const NO_FACTS: HostFacts = {
  os: null,
  osVersion: null,
  osName: null,
  kernel: null,
  kernelVersion: null,
  arch: null,
  cpus: null,
  cpuModel: null,
  memoryMb: null,
  diskTotalMb: null,
  diskFreeMb: null,
  bootedAt: null,
  init: null,
  hostname: null,
  pythonPath: null,
  pythonVersion: null,
};

describe('facts of a host', () => {
  it('omit unknown values', () => {
    expect(factsRows(NO_FACTS)).toEqual([]);
    expect(factsRows({ ...NO_FACTS, os: 'alpine', osVersion: '3.20', cpus: 1, diskTotalMb: 1024 })).toEqual([
      { label: 'System', value: 'alpine 3.20' },
      { label: 'Processors', value: '1 CPU' },
      { label: 'Disk of /', value: '1.0 GiB' },
    ]);
  });
});
