import { v7 } from 'uuid';

/** An id like those of `newId`, as if it had been made then: lists are in the order of ids. */
export const idAt = (at: Date): string => v7({ msecs: at.getTime() });
