import { oneLine } from '../messages/plain-text.js';
import { type ScheduleFailed, scheduleFailedIn, type Told } from './told.js';

/** Names of schedules that are kept of an environment: as many as a message shows. */
const MOST_NAMES = 10;

/** Schedules of one environment that missed their times, as far as a message tells of them. */
export interface MissedIn {
  environmentId: string;
  environmentName: string;
  /** How many schedules. */
  count: number;
  /** The first of them. */
  names: string[];
  /** The earliest and the latest of the times. */
  from: string;
  until: string;
}

/** What a message about several schedules is stored with. */
export interface MissedSchedules {
  missed: MissedIn[];
}

/** Whether what a delivery is about is schedules that missed their times together. */
export const isOfSeveral = (about: object | null): about is MissedSchedules => about !== null && 'missed' in about;

/** Whether an event tells that no worker was there: many schedules have that in common, and people are told of it together. */
export const toldTogether = ({ about }: Told): boolean => scheduleFailedIn(about)?.outcome === 'missed';

/** What is stored of a message that is not sent yet, or of an event. */
export type Gathered = Pick<Told, 'name' | 'environmentId' | 'planId'> & { about: object };

/** One message for both. What it is about, where both are in one environment or of one plan, stays so. */
export function together(one: Gathered, other: Gathered): Gathered {
  const missed = joined([...missedIn(one.about), ...missedIn(other.about)]);
  return {
    name: `${missed.reduce((sum, { count }) => sum + count, 0)} schedules`,
    environmentId: one.environmentId === other.environmentId ? one.environmentId : null,
    planId: one.planId === other.planId ? one.planId : null,
    about: { missed } satisfies MissedSchedules,
  };
}

function missedIn(about: object): MissedIn[] {
  if (isOfSeveral(about)) return about.missed;
  const { schedule, environmentId, environmentName, at } = about as ScheduleFailed;
  const names = [oneLine(schedule.name, 100)];
  return [{ environmentId, environmentName, count: 1, names, from: at, until: at }];
}

function joined(parts: readonly MissedIn[]): MissedIn[] {
  const places = new Map<string, MissedIn>();
  for (const part of parts) {
    const before = places.get(part.environmentId);
    places.set(part.environmentId, before ? both(before, part) : part);
  }
  return [...places.values()];
}

/** Times are texts of one form, which sort as they are. */
const both = (one: MissedIn, other: MissedIn): MissedIn => ({
  ...one,
  count: one.count + other.count,
  names: [...one.names, ...other.names].slice(0, MOST_NAMES),
  from: one.from < other.from ? one.from : other.from,
  until: one.until > other.until ? one.until : other.until,
});
