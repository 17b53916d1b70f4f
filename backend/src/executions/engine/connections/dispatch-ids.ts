import { createHmac, type KeyObject } from 'node:crypto';

const TIME_DIGITS = 14;

/**
 * Dispatch ids of a run, derived from what is started. If two processes drive the run on copies of one database, both
 * send the same id, and the host starts it only once. The key makes ids unpredictable for a host. Each id has the
 * timestamp of the run's id, so ids sort roughly by time. They are UUIDs of version 8.
 */
export class DispatchIds {
  constructor(
    private readonly key: KeyObject,
    private readonly executionId: string,
  ) {}

  createFirstId(stepIndex: number, serverId: string, attempt: number): string {
    return this.deriveId(`${this.executionId}\0${stepIndex}\0${serverId}\0${attempt}`);
  }

  /** Returns the next id of the same attempt, after the host ruled out or refused `id`. */
  createNextId(id: string): string {
    return this.deriveId(`after\0${id}`);
  }

  private deriveId(name: string): string {
    const hex = createHmac('sha256', this.key).update(`runward dispatch\0${name}`).digest('hex');
    const variant = ((parseInt(hex.charAt(0), 16) & 3) | 8).toString(16);
    const time = this.executionId.slice(0, TIME_DIGITS);
    return `${time}8${hex.slice(1, 4)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`;
  }
}
