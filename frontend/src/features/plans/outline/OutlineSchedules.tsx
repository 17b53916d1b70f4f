import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { schedulesQuery } from '../../../api/queries/automation/schedules';
import type { Plan } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink } from '../../../ui/page/links';
import { listState } from '../../../ui/tables/list-state';
import { OutlineSection } from './OutlineSection';
import classes from './outline.module.css';

const SHOWN = 5;

export function OutlineSchedules({ plan: { id } }: { plan: Plan }) {
  const { rows = [], error } = listState(useInfiniteQuery(schedulesQuery({ planId: id })));
  return (
    <OutlineSection
      title="Schedules"
      end={
        <AnchorLink to="/schedules" search={{ plan: id }} size="xs">
          Show schedules
        </AnchorLink>
      }
    >
      {rows.length === 0 ? (
        <Text c="dimmed">
          {error ? 'The schedules could not be loaded.' : 'None. Members and tools start the plan.'}
        </Text>
      ) : (
        <ul className={classes.list}>
          {rows.slice(0, SHOWN).map((schedule) => (
            <li key={schedule.id} className="rw-wrap-anywhere">
              <AnchorLink to="/schedules/$id" params={{ id: schedule.id }} search={{}}>
                {schedule.name}
              </AnchorLink>
              <Text size="xs" c="dimmed" component="div">
                {schedule.environmentName},{' '}
                {schedule.enabled ? <RelativeTime at={schedule.nextAt} never="no further time" /> : 'paused'}
              </Text>
            </li>
          ))}
          {rows.length > SHOWN && <Text size="xs" c="dimmed" component="li">{`and more`}</Text>}
        </ul>
      )}
    </OutlineSection>
  );
}
