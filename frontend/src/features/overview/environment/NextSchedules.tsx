import { Paper, Text } from '@mantine/core';
import { IconCalendarTime } from '@tabler/icons-react';
import type { EnvironmentDetail } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink } from '../../../ui/page/links';
import classes from '../overview.module.css';
import { Section } from '../Section';

export function NextSchedules({ overview: { id, schedules } }: { overview: EnvironmentDetail }) {
  return (
    <Section
      title="Next scheduled runs"
      end={
        <AnchorLink to="/schedules" search={{ environment: id, view: 'calendar' }} size="sm">
          Calendar
        </AnchorLink>
      }
    >
      {schedules.length === 0 ? (
        <Text c="dimmed">No scheduled runs.</Text>
      ) : (
        <Paper component="ul" className={classes.rows} aria-label="Next scheduled runs">
          {schedules.map((schedule) => (
            <li key={schedule.id} className={classes.row}>
              <span className={`${classes.rowIcon} ${classes.muted}`}>
                <IconCalendarTime size={18} aria-hidden />
              </span>
              <AnchorLink to="/schedules/$id" params={{ id: schedule.id }} search={{}} className="rw-wrap-anywhere">
                {schedule.name}
              </AnchorLink>
              <span className={classes.small}>
                <RelativeTime at={schedule.nextAt} />
              </span>
            </li>
          ))}
        </Paper>
      )}
    </Section>
  );
}
