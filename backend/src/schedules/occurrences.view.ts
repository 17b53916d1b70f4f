import { ApiProperty } from '@nestjs/swagger';
import { ScheduleFireView } from './schedules.view.js';

export class OccurringScheduleView {
  id: string;
  name: string;
  /** Current name of the plan. */
  planName: string;
  environmentId: string;
  environmentName: string;
  /** Cron expression; null = `everySeconds` is used. */
  @ApiProperty({ type: String, nullable: true })
  cron: string | null;
  /** Interval in seconds; null = `cron` is used. */
  @ApiProperty({ type: 'integer', nullable: true })
  everySeconds: number | null;
  /**
   * Time zone of `cron`, as in the IANA time zone database.
   * @example "Europe/Berlin"
   */
  timeZone: string;
  /** False = the schedule is paused and has no coming occurrences. */
  enabled: boolean;
  /** It has more than four coming occurrences a day on average. They are not in `coming`. */
  frequent: boolean;
}

export class PastOccurrenceView extends ScheduleFireView {
  /** Item of `schedules`. */
  scheduleId: string;
}

export class ComingOccurrenceView {
  /** Item of `schedules`. */
  scheduleId: string;
  /** Scheduled time, without the delay of the schedule. */
  at: string;
}

export class OccurrencesView {
  /** Schedules that match, by name, at most 200. */
  schedules: OccurringScheduleView[];
  /** Results of past occurrences, newest first. Of each schedule, the last 100 are kept. */
  past: PastOccurrenceView[];
  /** Coming occurrences, in order of time. */
  coming: ComingOccurrenceView[];
  /** Whether more schedules match. */
  moreSchedules: boolean;
  /** Whether older past or later coming occurrences are missing: at most 2,000 of each are listed. */
  truncated: boolean;
}
