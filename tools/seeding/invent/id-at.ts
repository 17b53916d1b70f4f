import { v7 } from 'uuid';

/** Returns an ID in the format of `newId` for this time, because lists are ordered by ID. */
export const createIdAt = (at: Date): string => v7({ msecs: at.getTime() });
