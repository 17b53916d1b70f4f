/** A member or service account. */
export class UserReference {
  id: string;
  /**
   * Current name of the user; several users can have the same.
   * @example "Ada Lovelace"
   */
  name: string;
}
