/** Parses the number of a revision from a path or field; null = invalid. */
export const parseRevisionNumber = (number: string | number): number | null =>
  /^[1-9][0-9]{0,8}$/.test(String(number)) ? Number(number) : null;
