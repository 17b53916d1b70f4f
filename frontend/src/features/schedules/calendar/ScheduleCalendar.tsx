import { Alert, Button, Group, Paper, SegmentedControl, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { occurrencesQuery } from '../../../api/queries/automation/schedules';
import type { Occurrences } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { AnchorLink } from '../../../ui/page/links';
import { timingText } from '../times/timing';
import classes from './schedule-calendar.module.css';
import { daysOf, type DayEntry, entriesByDay, localDate } from './calendar-entries';
import { Entry } from './Entry';

type Span = 'week' | 'month';
/** Schedules of a day of a month that are listed. */
const LISTED = 4;

interface Props {
  filters: { q?: string; planId?: string; environmentId?: string };
  /** Date in the shown period, as `2026-11-28`; undefined = today. */
  date: string | undefined;
  span: Span;
  onMove: (change: { date?: string; span?: Span }) => void;
}

/** Past and coming occurrences of all schedules, by the clock of the browser. */
export function ScheduleCalendar({ filters, date, span, onMove }: Props) {
  const today = localDate(new Date());
  const anchor = /^\d{4}-\d{2}-\d{2}$/.test(date ?? '') ? (date ?? today) : today;
  const days = daysOf(anchor, span);
  const [first, last] = [days[0] ?? new Date(), days.at(-1) ?? new Date()];
  const end = new Date(last.getFullYear(), last.getMonth(), last.getDate() + 1);
  const { data, error, refetch } = useQuery(
    occurrencesQuery({ ...filters, from: first.toISOString(), to: end.toISOString() }),
  );
  const move = (by: number) => {
    const [year = 1970, month = 1, day = 1] = anchor.split('-').map(Number);
    onMove({
      date: localDate(span === 'week' ? new Date(year, month - 1, day + 7 * by) : new Date(year, month - 1 + by, 1)),
    });
  };
  const entries = data ? entriesByDay(data) : new Map<string, DayEntry[]>();
  return (
    <section aria-label="Calendar">
      <Group mb="sm" gap="sm">
        <Button variant="default" px={8} aria-label={`Previous ${span}`} onClick={() => move(-1)}>
          <IconChevronLeft size={16} aria-hidden />
        </Button>
        <Button variant="default" onClick={() => onMove({ date: undefined })}>
          Today
        </Button>
        <Button variant="default" px={8} aria-label={`Next ${span}`} onClick={() => move(1)}>
          <IconChevronRight size={16} aria-hidden />
        </Button>
        <Title order={2} size="h4" aria-live="polite">
          {titleOf(anchor, span, days)}
        </Title>
        <SegmentedControl
          aria-label="Period"
          data={[
            { value: 'month', label: 'Month' },
            { value: 'week', label: 'Week' },
          ]}
          value={span}
          onChange={(value) => onMove({ span: value === 'week' ? 'week' : 'month' })}
        />
        <Text size="xs" c="dimmed">
          Times in {Intl.DateTimeFormat().resolvedOptions().timeZone}, your time zone.
        </Text>
      </Group>
      {data && <Notes occurrences={data} />}
      {error && !data ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={480} />
      ) : (
        <Paper component="ol" className={classes.grid} aria-label="Days">
          {days.map((day) => (
            <Day
              key={day.getTime()}
              day={day}
              isToday={localDate(day) === today}
              isOutside={span === 'month' && localDate(day).slice(0, 7) !== anchor.slice(0, 7)}
              entries={entries.get(localDate(day)) ?? []}
              onMore={span === 'month' ? () => onMove({ date: localDate(day), span: 'week' }) : undefined}
            />
          ))}
        </Paper>
      )}
      {data && entries.size === 0 && (
        <Text c="dimmed" mt="sm">
          No occurrences in this period.
        </Text>
      )}
    </section>
  );
}

/** What the days do not show. */
function Notes({ occurrences: { schedules, moreSchedules, truncated } }: { occurrences: Occurrences }) {
  const frequent = schedules.filter((each) => each.frequent);
  const paused = schedules.filter((each) => !each.enabled);
  const isIncomplete = moreSchedules || truncated;
  return (
    <>
      {isIncomplete && (
        <Alert color="yellow" mb="sm" py="xs">
          {moreSchedules
            ? 'Only the first 200 schedules by name are listed. Search, or choose an environment.'
            : 'Only 2,000 past and 2,000 coming occurrences are listed. Choose a week or an environment.'}
        </Alert>
      )}
      {frequent.length > 0 && (
        <Text size="sm" mb={4} component="div">
          Frequent, without coming occurrences in the calendar:{' '}
          <ScheduleLinks schedules={frequent} note={(schedule) => ` (${timingText(schedule)})`} />
        </Text>
      )}
      {paused.length > 0 && (
        <Text size="sm" mb={4} component="div">
          Paused: <ScheduleLinks schedules={paused} note={() => ''} />
        </Text>
      )}
    </>
  );
}

const MAX_LINKS = 5;

interface LinksProps {
  schedules: Occurrences['schedules'];
  note: (schedule: Occurrences['schedules'][number]) => string;
}

function ScheduleLinks({ schedules, note }: LinksProps) {
  return (
    <>
      {schedules.slice(0, MAX_LINKS).map((schedule, index) => (
        <span key={schedule.id} className="rw-wrap-anywhere">
          {index > 0 && ', '}
          <AnchorLink to="/schedules/$id" params={{ id: schedule.id }} search={{}} underline="always">
            {schedule.name}
          </AnchorLink>
          {note(schedule)}
        </span>
      ))}
      {schedules.length > MAX_LINKS && ` and ${schedules.length - MAX_LINKS} more`}.
    </>
  );
}

interface DayProps {
  day: Date;
  isToday: boolean;
  isOutside: boolean;
  entries: readonly DayEntry[];
  /** Opens the week; absent = all entries are listed. */
  onMore?: () => void;
}

function Day({ day, isToday, isOutside, entries, onMore }: DayProps) {
  const listed = onMore ? entries.slice(0, LISTED) : entries;
  const name = day.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
  const empty = entries.length === 0 ? classes.empty : '';
  return (
    <li className={`${classes.day} ${isToday ? classes.today : ''} ${isOutside ? classes.outside : ''} ${empty}`}>
      <div className={classes.date}>
        <time dateTime={localDate(day)}>{name}</time>
        {isToday && <span className={classes.mark}>Today</span>}
      </div>
      {listed.map((entry) => (
        <Entry key={entry.schedule.id} entry={entry} />
      ))}
      {listed.length < entries.length && (
        <Button variant="subtle" size="compact-xs" onClick={onMore}>
          {entries.length - listed.length} more
        </Button>
      )}
    </li>
  );
}

function titleOf(date: string, span: Span, days: readonly Date[]): string {
  const format = (day: Date | undefined, options: Intl.DateTimeFormatOptions) =>
    day?.toLocaleDateString('en-GB', options) ?? '';
  if (span === 'week')
    return `${format(days[0], { day: 'numeric', month: 'short' })} – ${format(days.at(-1), { day: 'numeric', month: 'short', year: 'numeric' })}`;
  const [year = 1970, month = 1] = date.split('-').map(Number);
  return format(new Date(year, month - 1, 1), { month: 'long', year: 'numeric' });
}
