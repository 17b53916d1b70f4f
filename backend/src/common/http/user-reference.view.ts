/** A member or service account. */
export class UserReference {
  id: string;
  /** @example "Ada Lovelace" */
  name: string;
}
