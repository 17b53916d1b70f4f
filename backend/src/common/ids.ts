import { v7 } from 'uuid';

/** A new id: a UUIDv7 in lower case. Ids made one after another by one process sort in that order. */
export function newId(): string {
  return v7();
}

/** Whether `text` is an id as this API writes them: any UUID, in lower case. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
