export interface LocalTime {
  date: string;
  time: string;
  /** Text with the zone abbreviation of that date, such as `Thu 24 Dec 2026, 02:30 CET`. */
  text: string;
}

export function localTime(iso: string, timeZone: string): LocalTime {
  const at = new Date(iso);
  const format = (locale: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone, ...options }).format(at);
  const time = format('en-GB', { hour: '2-digit', minute: '2-digit' });
  const day = format('en-GB', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
  return {
    date: format('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' }),
    time,
    text: `${day.replace(',', '')}, ${format('en-GB', { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' })}`,
  };
}

export interface CalendarDay {
  date: string;
  day: number;
  times: string[];
}

export interface CalendarMonth {
  name: string;
  /** Days from Monday to Sunday; null = a day of another month. */
  weeks: (CalendarDay | null)[][];
}

const DAY_MS = 86_400_000;
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Returns the first `most` months with occurrences. */
export function monthsOf(times: readonly Pick<LocalTime, 'date' | 'time'>[], most: number): CalendarMonth[] {
  const months = [...new Set(times.map(({ date }) => date.slice(0, 7)))].slice(0, most);
  return months.map((month) => {
    const first = Date.parse(`${month}-01T00:00:00Z`);
    const before = (new Date(first).getUTCDay() + 6) % 7;
    const cells: (CalendarDay | null)[] = Array.from({ length: before }, () => null);
    for (let at = first; dateOf(at).startsWith(month); at += DAY_MS) {
      const date = dateOf(at);
      const own = times.filter((each) => each.date === date).map(({ time }) => time);
      cells.push({ date, day: new Date(at).getUTCDate(), times: own });
    }
    while (cells.length % 7 !== 0) cells.push(null);
    const weeks = Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
    const name = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' }).format(first);
    return { name, weeks };
  });
}
