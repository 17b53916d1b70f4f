import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconLock } from '@tabler/icons-react';
import { environmentQuery } from '../../../api/queries/inventory/environments';
import type { Plan } from '../../../api/types';
import { limit } from '../../../ui/format/format';
import { Fact } from '../../../ui/page/Fact';
import { AnchorLink } from '../../../ui/page/links';
import { MODE_NAMES } from '../../../ui/runs/modes';
import { OutlineSection } from './OutlineSection';
import classes from './outline.module.css';

/** Where the plan runs, and the settings that differ from their defaults. */
export function OutlineFacts({ plan }: { plan: Plan }) {
  const settings = planSettings(plan);
  return (
    <OutlineSection title="Where and how">
      <div className={classes.list}>
        <Fact label="Environment">
          {plan.environmentId === null ? 'Chosen at the start' : <EnvironmentName id={plan.environmentId} />}
        </Fact>
        <Fact label="Hosts">
          {plan.targets ? <Code className="rw-wrap-anywhere">{plan.targets}</Code> : 'All hosts of the environment'}
        </Fact>
        {settings.length > 0 && (
          <Fact label="Settings">
            {settings.map((setting) => (
              <Text key={setting} component="div" className="rw-wrap-anywhere">
                {setting}
              </Text>
            ))}
          </Fact>
        )}
      </div>
    </OutlineSection>
  );
}

function EnvironmentName({ id }: { id: string }) {
  const { data } = useQuery(environmentQuery(id));
  if (!data) return <>…</>;
  return (
    <>
      <AnchorLink to="/environments/$id" params={{ id }} search={{}} className="rw-wrap-anywhere">
        {data.name}
      </AnchorLink>
      {data.protected && (
        <>
          {' '}
          <IconLock size={14} aria-hidden className="rw-inline-icon" /> protected
        </>
      )}
    </>
  );
}

function planSettings(plan: Plan): string[] {
  const { maxFailPercent, onFailure, timeoutSeconds, strategy, locks, parallelSafe, allowedModes } = plan;
  return [
    `${onFailure === 'stop' ? 'Stops' : 'Continues'} when ${maxFailPercent === 0 ? 'any host fails' : `more than ${maxFailPercent} % of hosts fail`}`,
    ...(strategy === 'free' ? ['Each host continues independently'] : []),
    ...(timeoutSeconds === null ? [] : [`At most ${limit(timeoutSeconds * 1000)}`]),
    ...(locks.length > 0 ? [`Locks ${locks.join(', ')}`] : []),
    ...(parallelSafe ? ['Several runs at a time, on different hosts'] : []),
    ...(allowedModes.length > 0 ? [`Modes: ${allowedModes.map((mode) => MODE_NAMES[mode]).join(', ')}`] : []),
  ];
}
