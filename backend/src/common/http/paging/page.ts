export const DEFAULT_LIMIT = 50;

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** LIKE pattern that matches the literal text anywhere in a name. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
