/** Shell text of a step, or why the step cannot be converted. */
export type Program = { readonly command: string; readonly become: string | null } | Lost;

export interface Lost {
  readonly what: string;
  readonly reason: string;
}

export const lost = (what: string, reason: string): Lost => ({ what: what.trim(), reason });

export const lostReferences = (references: readonly string[]): Lost =>
  lost(
    `reference ${references.slice(0, 10).join(', ')}`,
    'Runward has no such value, or can not insert it there. Replace it, then make this step a command.',
  );
