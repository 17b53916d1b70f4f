import { Group, Stack, Text } from '@mantine/core';
import classes from './calendar.module.css';
import { type CalendarDay, type CalendarMonth, localTime, monthsOf } from './calendar';

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
/** Maximum number of months that fit beside the list. */
const MAX_MONTHS = 2;

interface Props {
  times: readonly string[];
  timeZone: string;
}

export function NextTimes({ times, timeZone }: Props) {
  const local = times.map((iso) => localTime(iso, timeZone));
  return (
    <Group align="flex-start" gap="16px 28px">
      {monthsOf(local, MAX_MONTHS).map((month) => (
        <MonthTable key={month.name} month={month} />
      ))}
      <Stack gap={4} className={classes.list}>
        <Text size="xs" c="dimmed">
          {times.length < 10 ? 'Last occurrences' : 'Next ten occurrences'}, in time zone {timeZone}
        </Text>
        <ol className={classes.times} aria-label="Next occurrences">
          {local.map(({ text }, index) => (
            <li key={times[index]}>
              <time dateTime={times[index]}>{text}</time>
            </li>
          ))}
        </ol>
      </Stack>
    </Group>
  );
}

function MonthTable({ month: { name, weeks } }: { month: CalendarMonth }) {
  return (
    <table className={classes.month}>
      <caption>{name}</caption>
      <thead>
        <tr>
          {WEEKDAYS.map((day) => (
            <th key={day} scope="col">
              {day}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week, index) => (
          <tr key={index}>
            {week.map((day, column) => (
              <Day key={column} day={day} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Day({ day }: { day: CalendarDay | null }) {
  if (!day) return <td />;
  if (day.times.length === 0) return <td>{day.day}</td>;
  return (
    <td className={classes.due} title={day.times.join(', ')}>
      {day.day}
    </td>
  );
}
