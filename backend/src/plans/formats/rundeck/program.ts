/** Shell text of a step, or why the step cannot be converted. */
export type ConvertedProgram = { readonly command: string; readonly become: string | null } | LostPart;

export interface LostPart {
  readonly what: string;
  readonly reason: string;
}

export const createLostPart = (what: string, reason: string): LostPart => ({ what: what.trim(), reason });

export const toLostReferences = (references: readonly string[]): LostPart =>
  createLostPart(
    `reference ${references.slice(0, 10).join(', ')}`,
    'Runward has no such value, or can not insert it there. Replace it, then make this step a command.',
  );
