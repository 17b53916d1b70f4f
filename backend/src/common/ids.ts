import { v7 } from 'uuid';

/** Creates a UUIDv7 in lower case. IDs of one process sort in order of creation. */
export function newId(): string {
  return v7();
}

/** Whether `text` is an ID in the API's format: any UUID in lower case. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
