import { createHmac, type KeyObject } from 'node:crypto';
import { v5 } from 'uuid';
import type { JournalEntry, RunIdentity } from '../../../transport/remote-command.js';

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

/**
 * Number of take-overs that can be distinguished within a step: take-overs of the run, times take-overs of a slice in
 * each.
 */
const EPOCH_GENERATION_FACTOR = 2 ** 40;
/** Extra size of the output file on the host, in bytes: for trailers, and for output that masking shortens. */
const JOURNAL_SPARE_BYTES = 128 * 1024;

/**
 * Returns the folder on the host for the commands of a run. Two servers may be one machine, so each has its own folder.
 */
export const toJournalFolderId = (executionId: string, serverId: string): string => v5(serverId, executionId);

/**
 * Numbers the commands of a run in the host journals.
 *
 * A host refuses a command whose number is lower than the highest number it has seen in the folder. So the number must
 * rise with each take-over: the lease generation counts take-overs of the run first, then those of the slice. The
 * number must also never fall from one step to the next, even if the next step runs without a slice. Therefore the step
 * index is the most significant part.
 */
export class JournalEntries {
  constructor(
    private readonly executionId: string,
    private readonly speaker: RunIdentity,
    private readonly generation: number,
    private readonly outputLimitBytes: number,
  ) {}

  toJournalEntry(
    stepIndex: number,
    serverId: string,
    dispatchId: string,
    stored: Pick<JournalEntry, 'forget' | 'remove'> = {},
  ): JournalEntry {
    return {
      speaker: this.speaker,
      folderId: toJournalFolderId(this.executionId, serverId),
      dispatchId,
      generation: stepIndex * EPOCH_GENERATION_FACTOR + this.generation,
      spoolBytes: this.outputLimitBytes + JOURNAL_SPARE_BYTES,
      ...stored,
    };
  }
}
