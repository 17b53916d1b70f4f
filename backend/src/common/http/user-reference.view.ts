/** A member or service account. */
export class UserReference {
  id: string;
  /**
   * Current name of the user; several users can have the same.
   * @example "Ada Lovelace"
   */
  name: string;
}

/** Reference from two columns; null if the user is unknown. */
export const toUserReference = (id: string | null, name: string | null): UserReference | null =>
  id === null ? null : { id, name: name ?? '' };
