import { v7 } from 'uuid';

/** ID of the format of `newId` for this time. Lists are ordered by ID. */
export const idAt = (at: Date): string => v7({ msecs: at.getTime() });
