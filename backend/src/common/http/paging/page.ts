export const DEFAULT_LIMIT = 50;

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** Returns a LIKE pattern for names that contain the literal text. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
