import { Text } from '@mantine/core';
import { IconActivity, IconArrowsExchange } from '@tabler/icons-react';
import type { ServerChange } from '../../../api/types';
import { exactTime } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { checkStyle, SERVER_STATES } from '../../../ui/status/statuses';
import classes from './history.module.css';

const NAMES: Record<string, string> = {
  state: 'State',
  os: 'System',
  osVersion: 'System version',
  osName: 'System name',
  kernel: 'Kernel',
  kernelVersion: 'Kernel version',
  arch: 'Architecture',
  cpus: 'Processors',
  cpuModel: 'Processor model',
  memoryMb: 'Memory in MiB',
  diskTotalMb: 'Disk of / in MiB',
  bootedAt: 'Started',
  init: 'Init system',
  hostname: 'Host name',
  pythonPath: 'Path of Python',
  pythonVersion: 'Python',
};

export function ServerChanges({ changes }: { changes: readonly ServerChange[] }) {
  if (changes.length === 0)
    return <Text c="dimmed">No changes recorded yet. Checks and runs record changes of the state and of facts.</Text>;
  return (
    <ul className={`rw-plain-list ${classes.list}`} tabIndex={0} aria-label="Changes of state and facts">
      {changes.map(({ at, name, before, after }) => (
        <li key={`${at} ${name}`} className={classes.row}>
          {name === 'state' ? <IconActivity size={16} aria-hidden /> : <IconArrowsExchange size={16} aria-hidden />}
          <span className="rw-wrap-anywhere">
            {NAMES[name] ?? name}: {valueText(name, before)} → {valueText(name, after)}
          </span>
          <span className={classes.small}>
            <RelativeTime at={at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function valueText(name: string, value: string | null): string {
  if (value === null) return 'none';
  if (name === 'bootedAt') return exactTime(value);
  const state = SERVER_STATES.find((each) => name === 'state' && each === value);
  return state ? checkStyle(state).label : value;
}
