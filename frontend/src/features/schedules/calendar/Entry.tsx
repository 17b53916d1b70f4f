import { IconAlertTriangle, IconClock } from '@tabler/icons-react';
import { AnchorLink } from '../../../ui/page/links';
import { localTime } from '../times/calendar';
import classes from './schedule-calendar.module.css';
import type { DayEntry } from './calendar-entries';

/** Occurrences of a schedule on a day. The icon shows the worst result, or a clock for coming ones. */
export function Entry({ entry }: { entry: DayEntry }) {
  const { schedule, at, count, result, executionId, missed, overlaps } = entry;
  const Glyph = result?.icon ?? IconClock;
  const label = result?.label ?? 'Coming';
  const where = `${schedule.planName} in ${schedule.environmentName}, ${localTime(at, schedule.timeZone).text}`;
  const icon = (
    <span
      className={`${classes.icon} ${classes[result?.tone ?? 'coming']}`}
      role="img"
      aria-label={label}
      title={label}
    >
      <Glyph size={14} stroke={2.2} aria-hidden />
    </span>
  );
  return (
    <div className={classes.entry} title={where}>
      {executionId === null ? (
        icon
      ) : (
        <AnchorLink
          to="/executions/$id"
          params={{ id: executionId }}
          aria-label={`${label}: open run of ${schedule.name}`}
        >
          {icon}
        </AnchorLink>
      )}
      <time dateTime={at} className={classes.time}>
        {new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}
      </time>
      <AnchorLink to="/schedules/$id" params={{ id: schedule.id }} search={{}} className={classes.name} size="xs">
        {schedule.name}
      </AnchorLink>
      {count > 1 && <span className={classes.small}>×{count}</span>}
      {missed > 0 && <span className={`${classes.small} ${classes.warn}`}>{missed} missed</span>}
      {overlaps.length > 0 && (
        <span
          className={`${classes.icon} ${classes.warn}`}
          role="img"
          aria-label={`Same time in ${schedule.environmentName} as ${overlaps.join(', ')}`}
          title={`Same time in ${schedule.environmentName} as ${overlaps.join(', ')}`}
        >
          <IconAlertTriangle size={14} aria-hidden />
        </span>
      )}
    </div>
  );
}
