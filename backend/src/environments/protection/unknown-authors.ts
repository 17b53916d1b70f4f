/**
 * Policy for git content with authors whose e-mail address belongs to no member:
 * - `show`: lists them in the evidence of an approval
 * - `refuse`: refuses the start of such runs
 */
export const UNKNOWN_AUTHORS = ['show', 'refuse'] as const;
export type UnknownAuthors = (typeof UNKNOWN_AUTHORS)[number];
