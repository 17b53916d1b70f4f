import { toOneLine } from '../messages/plain-text.js';
import type { ScheduleFailedEvent } from '../../outbox/event-types.js';
import { toScheduleFailed, type ReportedEvent } from './reported-event.js';

const MAX_LISTED_NAMES = 10;

export interface EnvironmentMisses {
  environmentId: string;
  environmentName: string;
  count: number;
  names: string[];
  from: string;
  until: string;
}

export interface MissedSchedules {
  missed: EnvironmentMisses[];
}

export const isMissedSchedules = (about: object | null): about is MissedSchedules =>
  about !== null && 'missed' in about;

/** Whether the event means that no worker was running. All schedules that share this cause share a message. */
export const sharesMessage = ({ about }: ReportedEvent): boolean => toScheduleFailed(about)?.outcome === 'missed';

export type GatheredMessage = Pick<ReportedEvent, 'name' | 'environmentId' | 'planId'> & { about: object };

/** Merges the content of two messages. Environment and plan are kept only when both messages have the same. */
export function mergeGathered(one: GatheredMessage, other: GatheredMessage): GatheredMessage {
  const missed = joinByEnvironment([...getMissesIn(one.about), ...getMissesIn(other.about)]);
  return {
    name: `${missed.reduce((sum, { count }) => sum + count, 0)} schedules`,
    environmentId: one.environmentId === other.environmentId ? one.environmentId : null,
    planId: one.planId === other.planId ? one.planId : null,
    about: { missed } satisfies MissedSchedules,
  };
}

function getMissesIn(about: object): EnvironmentMisses[] {
  if (isMissedSchedules(about)) return about.missed;
  const { schedule, environmentId, environmentName, at } = about as ScheduleFailedEvent;
  const names = [toOneLine(schedule.name, 100)];
  return [{ environmentId, environmentName, count: 1, names, from: at, until: at }];
}

function joinByEnvironment(parts: readonly EnvironmentMisses[]): EnvironmentMisses[] {
  const places = new Map<string, EnvironmentMisses>();
  for (const part of parts) {
    const before = places.get(part.environmentId);
    places.set(part.environmentId, before ? addMisses(before, part) : part);
  }
  return [...places.values()];
}

/** Compares times as strings: their format sorts chronologically. */
const addMisses = (one: EnvironmentMisses, other: EnvironmentMisses): EnvironmentMisses => ({
  ...one,
  count: one.count + other.count,
  names: [...one.names, ...other.names].slice(0, MAX_LISTED_NAMES),
  from: one.from < other.from ? one.from : other.from,
  until: one.until > other.until ? one.until : other.until,
});
