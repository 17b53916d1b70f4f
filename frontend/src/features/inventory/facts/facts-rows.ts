import type { CheckSource, HostFacts } from '../../../api/types';
import { exactTime, plural } from '../../../ui/format/format';

export function factsRows(facts: HostFacts): { label: string; value: string }[] {
  const rows: [string, string | null][] = [
    ['System', facts.osName ?? joined(facts.os, facts.osVersion)],
    ['Kernel', joined(facts.kernel, facts.kernelVersion)],
    ['Architecture', facts.arch],
    ['Processors', facts.cpus === null ? facts.cpuModel : joined(plural(facts.cpus, 'CPU'), facts.cpuModel, ' · ')],
    ['Memory', size(facts.memoryMb)],
    ['Disk of /', diskText(facts)],
    ['Started', facts.bootedAt && exactTime(facts.bootedAt)],
    ['Init system', facts.init],
    ['Host name', facts.hostname],
    ['Python', joined(facts.pythonVersion, facts.pythonPath, ' · ')],
  ];
  return rows.flatMap(([label, value]) => (value ? [{ label, value }] : []));
}

/** Source of a server's state, as part of a sentence. */
export const CHECK_SOURCE_TEXTS: Record<CheckSource, string> = {
  check: 'by a check',
  schedule: 'by an automatic check',
  run: 'by a run',
  acceptance: 'when the host key was accepted',
  enrolment: 'when the host registered itself',
};

const size = (mib: number | null): string | null =>
  mib === null ? null : mib < 1024 ? `${mib} MiB` : `${(mib / 1024).toFixed(1)} GiB`;

function diskText({ diskTotalMb, diskFreeMb }: HostFacts): string | null {
  const total = size(diskTotalMb);
  const free = size(diskFreeMb);
  return total && free ? `${free} free of ${total}` : total;
}

const joined = (first: string | null, second: string | null, between = ' '): string | null =>
  [first, second].filter(Boolean).join(between) || null;
