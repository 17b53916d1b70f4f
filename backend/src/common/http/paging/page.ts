export const DEFAULT_PAGE_LIMIT = 50;

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export const toLikePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
