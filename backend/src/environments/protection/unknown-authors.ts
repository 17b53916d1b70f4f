/**
 * Git content with authors that no member's e-mail address names:
 * - `show`: the evidence of an approval names them
 * - `refuse`: runs with it do not start
 */
export const UNKNOWN_AUTHORS = ['show', 'refuse'] as const;
export type UnknownAuthors = (typeof UNKNOWN_AUTHORS)[number];
