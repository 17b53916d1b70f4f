import { Paper, Text } from '@mantine/core';
import { type Icon, IconCircleCheck, IconHelpCircle, IconPlugConnectedX } from '@tabler/icons-react';
import type { EnvironmentDetail, ServerState } from '../../../api/types';
import { AnchorLink } from '../../../ui/page/links';
import { SERVER_STATES } from '../../../ui/status/statuses';
import classes from '../overview.module.css';
import { Section } from '../Section';

/** States in which it is unknown whether a host can be reached, as in the counts of the server. */
const UNKNOWN: readonly ServerState[] = ['unchecked', 'host_key_unknown', 'host_key_accepted'];
const UNREACHABLE = SERVER_STATES.filter((state) => state !== 'reachable' && !UNKNOWN.includes(state));

interface Row {
  label: string;
  count: number;
  states: readonly ServerState[];
  icon: Icon;
  tone: 'good' | 'bad' | 'muted';
}

export function HostStates({ overview: { id, hosts } }: { overview: EnvironmentDetail }) {
  const { reachable, unreachable, unknown } = hosts;
  const rows: Row[] = [
    { label: 'Reachable', count: reachable, states: ['reachable'], icon: IconCircleCheck, tone: 'good' },
    { label: 'Unreachable', count: unreachable, states: UNREACHABLE, icon: IconPlugConnectedX, tone: 'bad' },
    {
      label: 'Not checked, or host key not accepted',
      count: unknown,
      states: UNKNOWN,
      icon: IconHelpCircle,
      tone: 'muted',
    },
  ];
  const all = reachable + unreachable + unknown;
  return (
    <Section
      title="Hosts"
      end={
        <AnchorLink to="/servers" search={{ environment: id }} size="sm">
          All servers
        </AnchorLink>
      }
    >
      {all === 0 ? (
        <Text c="dimmed">No enabled servers in this environment.</Text>
      ) : (
        <>
          <svg className={classes.hostBar} viewBox={`0 0 ${all} 1`} preserveAspectRatio="none" aria-hidden>
            {rows.map(({ label, count, tone }, index) => (
              <rect
                key={label}
                x={rows.slice(0, index).reduce((sum, row) => sum + row.count, 0)}
                width={count}
                height={1}
                className={classes[tone]}
                fill="currentColor"
              />
            ))}
          </svg>
          <Paper component="ul" className={classes.rows} aria-label="Hosts by state">
            {rows
              .filter(({ count }) => count > 0)
              .map(({ label, count, states, icon: Glyph, tone }) => (
                <li key={label} className={classes.row}>
                  <span className={`${classes.rowIcon} ${classes[tone]}`}>
                    <Glyph size={18} aria-hidden />
                  </span>
                  <AnchorLink to="/servers" search={{ environment: id, state: states.join(',') }}>
                    {label}
                  </AnchorLink>
                  <span className={classes.small}>{count.toLocaleString('en')}</span>
                </li>
              ))}
          </Paper>
        </>
      )}
    </Section>
  );
}
