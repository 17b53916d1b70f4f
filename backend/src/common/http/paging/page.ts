export const DEFAULT_LIMIT = 50;

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
