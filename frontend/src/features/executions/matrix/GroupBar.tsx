import { Group, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { StatusIcon } from '../../../ui/status/StatusBadge';
import { statusStyle } from '../../../ui/status/statuses';
import type { HostGroup } from './host-groups';
import classes from './matrix.module.css';

interface Props {
  tag: string;
  groups: readonly HostGroup[];
  /** Selector of the selected group; undefined: all hosts are shown. */
  selected: string | undefined;
  onSelect: (selector: string | undefined) => void;
}

/** Groups of hosts with their numbers. A click shows only the hosts of a group, and a second one all hosts. */
export function GroupBar({ tag, groups, selected, onSelect }: Props) {
  return (
    <Group gap={6} px="xs" pb="xs" role="group" aria-label={`Hosts by ${tag}`}>
      {groups.map(({ selector, value, hosts, failed }) => (
        <UnstyledButton
          key={selector}
          className={classes.group}
          aria-pressed={selector === selected}
          onClick={() => onSelect(selector === selected ? undefined : selector)}
        >
          <span className="rw-wrap-anywhere">{value === null ? `without ${tag}` : value || 'empty'}</span>
          <span className={classes.groupCount}>
            {hosts.toLocaleString('en')}
            <VisuallyHidden> hosts</VisuallyHidden>
          </span>
          {failed > 0 && (
            <span className={classes.groupFailed}>
              <StatusIcon icon={statusStyle('FAILED').icon} /> {failed.toLocaleString('en')}
              <VisuallyHidden> failed</VisuallyHidden>
            </span>
          )}
        </UnstyledButton>
      ))}
    </Group>
  );
}
