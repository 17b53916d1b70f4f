/** A host that sends what no SSH server has to send, and more of it than its connection may cost. */
export class HostilePeerError extends Error {
  override readonly name = 'HostilePeerError';

  /** @param what subject and verb for a message, in words that the host did not choose */
  constructor(readonly what: string) {
    super(what);
  }
}
