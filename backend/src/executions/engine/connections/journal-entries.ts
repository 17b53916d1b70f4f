import { v5 } from 'uuid';
import type { JournalEntry, Speaker } from '../../../transport/remote-command.js';

/** Take-overs of a run that are told apart within a step, times those of a slice within a take-over of the run. */
const GENERATIONS = 2 ** 40;
/** What the host keeps beyond the limit of the store, for trailers and what masking shortens. */
const SPARE_BYTES = 128 * 1024;

/** The folder on the host that holds a run's commands. Servers may be one machine by several names: each has its own. */
export const journalFolder = (executionId: string, serverId: string): string => v5(serverId, executionId);

/**
 * Names for the commands of a run in the hosts' journals.
 *
 * A host refuses what carries a lower number than the highest that it has seen in the folder. So the number must rise
 * with each take-over (the generation of the lease: take-overs of the run first, then those of the slice), and must
 * never fall from one step to the next although the next one may be driven without a slice: the step comes first.
 */
export class JournalEntries {
  constructor(
    private readonly executionId: string,
    private readonly speaker: Speaker,
    private readonly generation: number,
    private readonly outputLimitBytes: number,
  ) {}

  entry(
    stepIndex: number,
    serverId: string,
    dispatchId: string,
    stored: Pick<JournalEntry, 'forget' | 'remove'> = {},
  ): JournalEntry {
    return {
      speaker: this.speaker,
      folderId: journalFolder(this.executionId, serverId),
      dispatchId,
      generation: stepIndex * GENERATIONS + this.generation,
      spoolBytes: this.outputLimitBytes + SPARE_BYTES,
      ...stored,
    };
  }
}
