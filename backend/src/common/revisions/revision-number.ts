/** The number of a revision as it stood in a path or a field; null: none has that number. */
export const revisionNumber = (number: string | number): number | null =>
  /^[1-9][0-9]{0,8}$/.test(String(number)) ? Number(number) : null;
