/**
 * What to do with a run whose git content has authors with an e-mail address of no member:
 * - `show`: list these authors in the evidence of an approval
 * - `refuse`: refuse the start
 */
export const UNKNOWN_AUTHORS = ['show', 'refuse'] as const;
export type UnknownAuthors = (typeof UNKNOWN_AUTHORS)[number];
